/** What the owner of some tools looks at first: do the error texts teach, what does it cost, where does it hurt. */
import type { FunnelAnswer } from "../../../analytics/client/client.ts";
import { useFingerprints, useFunnel, useRuns, useTimeline, useTools } from "../api.ts";
import { EmptyScope } from "../kit/empty-scope.tsx";
import { Page, Section } from "../kit/page.tsx";
import { Answered, Loading } from "../kit/states.tsx";
import { TableToggle, useAsTable } from "../kit/table-toggle.tsx";
import { Link } from "../state/link.tsx";
import { Costs } from "./costs.tsx";
import { FingerprintsTable } from "./fingerprints-table.tsx";
import { FunnelFigure } from "./funnel-figure.tsx";
import { Health } from "./health.tsx";
import { HURT_NOTE } from "./hurt-columns.tsx";
import { LatestRuns } from "./latest-runs.tsx";
import { OutcomesFigure } from "./outcomes-figure.tsx";
import { RateTables } from "./rate-tables.tsx";
import { RateTiles } from "./rate-tiles.tsx";
import { RiskTable } from "./risk-table.tsx";
import { ToolsTable } from "./tools-table.tsx";
import "./overview.css";

const MOST_FINGERPRINTS = "15";
const LATEST_RUNS = "8";

export function OverviewPage() {
  const funnel = useFunnel();
  return (
    <Page title="Overview">
      <Answered asked={funnel} loading={<Waiting />}>
        {(answer) => (answer.overall.calls.total === 0 ? <EmptyScope /> : <Overview answer={answer} />)}
      </Answered>
    </Page>
  );
}

function Overview({ answer }: { readonly answer: FunnelAnswer }) {
  const { overall } = answer;
  const asTable = useAsTable("rates");
  const timeline = useTimeline().data;
  return (
    <>
      <Section
        title="Six rates"
        note="Bars are 95 % intervals on a line from 0 to 100 %; with fewer than 30 in the denominator the dot is hollow."
        actions={<TableToggle name="rates" title="The six rates" />}
      >
        {asTable ? (
          <RateTables answer={answer} timeline={timeline} />
        ) : (
          <RateTiles answer={answer} timeline={timeline} />
        )}
        <OutcomesFigure overall={overall} />
      </Section>
      <Section title="By risk class" note="An average over reads says nothing about a write that cannot be taken back.">
        <RiskTable overall={overall} />
      </Section>
      <Section title="Where the episodes go">
        <FunnelFigure funnel={overall.funnel} />
      </Section>
      <Section title="Cost" note={`of settled ${overall.funnel.kind} episodes`}>
        <Costs funnel={overall.funnel} />
      </Section>
      <Section title="Tools, what hurts most first" note={HURT_NOTE}>
        <Answered asked={useTools()} loading={<Loading lines={6} height={320} />}>
          {(tools) => <ToolsTable answer={tools} />}
        </Answered>
      </Section>
      <Section title="Fingerprints, what hurts most first" note="Which error, in the same order.">
        <Answered asked={useFingerprints({ limit: MOST_FINGERPRINTS })} loading={<Loading lines={8} height={420} />}>
          {(fingerprints) => <FingerprintsTable answer={fingerprints} />}
        </Answered>
      </Section>
      <Section title="Latest runs" actions={<Link to="/runs">All runs</Link>}>
        <Answered asked={useRuns({ limit: LATEST_RUNS })} loading={<Loading lines={8} height={300} />}>
          {(runs) => <LatestRuns answer={runs} />}
        </Answered>
      </Section>
      <Section title="Data health" note="What the rates above do not cover.">
        <Health answer={answer} />
      </Section>
    </>
  );
}

/** In the height of the first sections, so that nothing jumps when they come. */
function Waiting() {
  return (
    <>
      <Section title="Six rates">
        <Loading lines={12} height={560} />
      </Section>
      <Section title="By risk class">
        <Loading lines={4} height={220} />
      </Section>
    </>
  );
}
