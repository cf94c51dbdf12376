/** The rates split by risk class, side by side: an average over reads says nothing about a write that cannot be taken back. */
import type { ReactNode } from "react";
import type { Group } from "../../../analytics/client/client.ts";
import { DataTable } from "../kit/data-table.tsx";
import { OutcomeBar, OutcomeLegend } from "../kit/outcome-bar.tsx";
import { RateCell } from "../kit/rate-line.tsx";
import { RiskTag } from "../kit/tag.tsx";
import { RATE_WORDS, riskWords } from "../kit/words.ts";
import { Link } from "../state/link.tsx";
import { SIX_RATES } from "./six-rates.ts";

/** Most dangerous first. */
const ORDER = ["write_irreversible", "unstated", "write_reversible", "read"];

type OfRisk = Group["by_risk"][number];
interface Row {
  readonly id: string;
  readonly title: string;
  readonly of: string;
  readonly cell: (of: OfRisk) => ReactNode;
}

const ROWS: readonly Row[] = [
  ...SIX_RATES.map((name) => ({
    id: name,
    title: RATE_WORDS[name].title,
    of: `of ${RATE_WORDS[name].of}`,
    cell: ({ rates, risk }: OfRisk) => (
      <div data-risk={risk}>
        <RateCell rate={rates[name]} name={name} />
      </div>
    ),
  })),
  {
    id: "ended",
    title: "Runs ended",
    of: "of settled repair episodes",
    cell: ({ terminal_outcomes, risk }) => (
      <div className="ended-cell">
        <OutcomeBar outcomes={terminal_outcomes} of={`settled repair episodes, ${riskWords(risk)}`} />
        <OutcomeLegend outcomes={terminal_outcomes} />
      </div>
    ),
  },
];

export function RiskTable({ overall }: { readonly overall: Group }) {
  const risks = overall.by_risk.toSorted((a, b) => ORDER.indexOf(a.risk) - ORDER.indexOf(b.risk));
  return (
    <DataTable
      caption="The six rates by risk class"
      rows={ROWS}
      rowKey={({ id }) => id}
      columns={[
        {
          id: "rate",
          title: "Rate",
          header: true,
          cell: ({ title, of }) => (
            <>
              {title}
              <span className="column-note note">{of}</span>
            </>
          ),
        },
        ...risks.map((of) => ({
          id: of.risk,
          title: (
            <Link with={{ risk: of.risk }}>
              <RiskTag risk={of.risk} />
            </Link>
          ),
          cell: (row: Row) => row.cell(of),
        })),
      ]}
    />
  );
}
