/** The tool's rates with how its runs ended beside them, and per risk class where calls of several were made. */
import type { Group } from "../../../analytics/client/client.ts";
import { formatCount } from "../../../analytics/client/format.ts";
import { DataTable } from "../kit/data-table.tsx";
import { Figure } from "../kit/figure.tsx";
import { OutcomeBar, OutcomeLegend, OutcomeTable } from "../kit/outcome-bar.tsx";
import { Section } from "../kit/page.tsx";
import { RateCell, RateLine } from "../kit/rate-line.tsx";
import { RiskTag } from "../kit/tag.tsx";
import { RATE_WORDS, type RateName } from "../kit/words.ts";

const HEADLINES: readonly RateName[] = [
  "first_attempt_validity",
  "first_repair_rate",
  "eventual_repair_rate",
  "unchanged_repeat_rate",
  "retry_failure_rate",
  "completion_rate",
];

export function ToolRates({ tool, group }: { readonly tool: string; readonly group: Group }) {
  const { rates, terminal_outcomes, by_risk } = group;
  const of = `settled repair episodes of ${tool}`;
  return (
    <Section
      title="Rates"
      note={`Value, n of N, and the 95 % Wilson interval on a line from 0 to 100 %.${group.funnel.kind === "repair" ? "" : " Repair rates are of repair episodes, whichever kind the funnel below follows."}`}
    >
      <dl className="tool-rates">
        {HEADLINES.map((name) => (
          <div key={name}>
            <dt title={RATE_WORDS[name].meaning}>{RATE_WORDS[name].title}</dt>
            <dd>
              <RateLine rate={rates[name]} name={name} large />
              <span className="note">of {RATE_WORDS[name].of}</span>
            </dd>
          </div>
        ))}
      </dl>
      <Figure
        name="tool-outcomes"
        title="How the runs of its repair episodes ended"
        unit={`of ${formatCount(terminal_outcomes.completed.denominator)} settled repair episodes`}
        table={<OutcomeTable outcomes={terminal_outcomes} of={of} />}
      >
        <OutcomeBar outcomes={terminal_outcomes} of={of} />
        <OutcomeLegend outcomes={terminal_outcomes} />
      </Figure>
      {by_risk.length < 2 ? null : <ByRisk rows={by_risk} />}
    </Section>
  );
}

function ByRisk({ rows }: { readonly rows: Group["by_risk"] }) {
  const rate = (name: RateName) => ({
    id: name,
    title: RATE_WORDS[name].title,
    cell: (row: Group["by_risk"][number]) => <RateCell rate={row.rates[name]} name={name} />,
  });
  return (
    <DataTable
      caption="Rates per risk class"
      rows={rows}
      rowKey={({ risk }) => risk}
      columns={[
        { id: "risk", title: "Risk class", header: true, cell: ({ risk }) => <RiskTag risk={risk} /> },
        ...[rate("first_attempt_validity"), rate("first_repair_rate"), rate("eventual_repair_rate")],
        {
          id: "ended",
          title: "Runs ended",
          cell: ({ risk, terminal_outcomes }) => (
            <OutcomeBar outcomes={terminal_outcomes} of={`settled repair episodes, ${risk}`} />
          ),
        },
      ]}
    />
  );
}
