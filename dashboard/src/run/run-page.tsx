/** One run: what it was, how it went turn by turn, and which call repaired which. */
import type { RunAnswer } from "../../../analytics/client/client.ts";
import { formatCount, formatCountOf } from "../../../analytics/client/format.ts";
import { useRun } from "../api.ts";
import { Page, Section } from "../kit/page.tsx";
import { Answered, Empty, Loading, Stale } from "../kit/states.tsx";
import { Link } from "../state/link.tsx";
import { EpisodeTable } from "./episode-table.tsx";
import { RunFacts } from "./run-facts.tsx";
import { TimelineFigure } from "./timeline-figure.tsx";
import "./run.css";

export function RunPage({ id }: { readonly id: string }) {
  const asked = useRun(id);
  const name = asked.data?.run.run_key ?? asked.data?.run.run_id ?? id;
  return (
    <Page title={`Run ${name}`} actions={<Link to="/runs">all runs</Link>}>
      <Answered asked={asked} loading={<LoadingRun />}>
        {(answer) => (answer === null ? <NoRun id={id} /> : <Run answer={answer} />)}
      </Answered>
    </Page>
  );
}

function Run({ answer }: { readonly answer: RunAnswer }) {
  const { settings, turn_basis } = answer;
  const basis = turn_basis === "model" ? "model turns" : "turns that called a tool";
  return (
    <>
      <div className="run-head">
        <RunFacts answer={answer} />
        <Notices answer={answer} />
      </div>
      <Section title="What happened">
        <TimelineFigure answer={answer} />
      </Section>
      <Section
        title="Episodes"
        note={`each failed call until it is repaired or given up · attempts at most ${formatCount(settings.W)} ${basis} apart, eventual within ${formatCount(settings.E)}`}
      >
        <EpisodeTable answer={answer} />
      </Section>
    </>
  );
}

/** What may still change, said before the figures that it changes. */
function Notices({ answer: { run, episodes, settle_after_seconds, turns } }: { readonly answer: RunAnswer }) {
  const pending = episodes.filter(({ settled }) => !settled).length;
  const inferred = turns.filter(({ turn_source }) => turn_source === "inferred").length;
  return (
    <>
      {run.waiting ? <Stale>This run waits to be linked: what stands here may change in a moment.</Stale> : null}
      {pending === 0 ? null : (
        <Stale>
          {formatCountOf(pending, "episode is", "episodes are")} pending: in no rate until the run ends, or until{" "}
          {formatCountOf(settle_after_seconds / 60, "minute")} have passed in silence.
        </Stale>
      )}
      {inferred === 0 ? null : (
        <p className="note">
          {formatCount(inferred)} of {formatCountOf(turns.length, "turn")} inferred from times: the source states no
          turns.
        </p>
      )}
    </>
  );
}

function NoRun({ id }: { readonly id: string }) {
  return (
    <Empty title="There is no such run">
      <p>
        No run has the id or the run key <span className="mono">{id}</span>. It may not have arrived yet: this page
        looks again by itself.
      </p>
      <p>
        <Link to="/runs">See the runs that there are</Link>
      </p>
    </Empty>
  );
}

function LoadingRun() {
  return (
    <>
      <Loading lines={4} height={130} />
      <Loading lines={10} height={480} />
    </>
  );
}
