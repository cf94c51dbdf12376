/** How runs ended, as one stacked bar. Order, shape and text say what the colours say. */
import type { Share } from "../../../analytics/client/client.ts";
import {
  formatCount,
  formatCountOf,
  formatPercent,
  formatShare,
  NO_EVIDENCE,
} from "../../../analytics/client/format.ts";
import { DataTable } from "./data-table.tsx";
import { Mark } from "./mark.tsx";
import { OUTCOME_SHAPES } from "./tag.tsx";
import { OUTCOME_MEANINGS, OUTCOMES, type Outcome } from "./words.ts";

export type Outcomes = Readonly<Record<Outcome, Share>>;

export interface OutcomeBarProps {
  readonly outcomes: Outcomes;
  /** What is counted, in words: `settled repair episodes of search`. */
  readonly of: string;
  readonly height?: number;
}

function someOf(outcomes: Outcomes): { name: Outcome; share: Share; before: number }[] {
  let before = 0;
  return OUTCOMES.flatMap((name) => {
    const share = outcomes[name];
    if (share.numerator === 0) return [];
    const start = before;
    before += share.numerator;
    return [{ name, share, before: start }];
  });
}

/** `completed 38 of 44 (86.4 %), escalated …`: what the bar says to who does not see it. */
export function outcomesText(outcomes: Outcomes): string {
  return (
    someOf(outcomes)
      .map(({ name, share }) => `${name} ${formatShare(share)}`)
      .join(", ") || NO_EVIDENCE
  );
}

export function OutcomeBar({ outcomes, of, height = 14 }: OutcomeBarProps) {
  const total = outcomes.completed.denominator;
  const title = `How the runs of ${formatCount(total)} ${of} ended: ${outcomesText(outcomes)}`;
  const at = (count: number) => `${(count * 100) / total}%`;
  return (
    <svg className="outcome-bar" width="100%" height={height} role="img" aria-label={title}>
      <title>{title}</title>
      {total === 0 ? (
        <rect className="outcome-none" width="100%" height={height} />
      ) : (
        someOf(outcomes).map(({ name, share, before }) => (
          <rect
            key={name}
            data-outcome={name}
            data-count={share.numerator}
            className={`outcome-part fill-${name}`}
            x={at(before)}
            width={at(share.numerator)}
            height={height}
          />
        ))
      )}
    </svg>
  );
}

/** What each part of the bar is, with its count; in the bar's order. */
export function OutcomeLegend({ outcomes }: { readonly outcomes: Outcomes }) {
  const some = someOf(outcomes);
  if (some.length === 0) return <p className="note">{NO_EVIDENCE}</p>;
  return (
    <ul className="outcome-legend">
      {some.map(({ name, share }) => (
        <li key={name} title={OUTCOME_MEANINGS[name]} data-outcome={name}>
          <Mark shape={OUTCOME_SHAPES[name]} tone={`outcome-${name}`} />
          {name} <b>{formatCount(share.numerator)}</b>{" "}
          <span className="quiet">{share.value === null ? null : formatPercent(share.value)}</span>
        </li>
      ))}
    </ul>
  );
}

/** The table twin. */
export function OutcomeTable({ outcomes, of }: Pick<OutcomeBarProps, "outcomes" | "of">) {
  return (
    <DataTable
      caption={`How the runs of ${formatCountOf(outcomes.completed.denominator, of, of)} ended`}
      rows={OUTCOMES}
      rowKey={(name) => name}
      columns={[
        { id: "outcome", title: "Ended", cell: (name) => name, header: true },
        { id: "means", title: "Meaning", cell: (name) => OUTCOME_MEANINGS[name] },
        { id: "share", title: "Episodes", align: "end", cell: (name) => formatShare(outcomes[name]) },
      ]}
    />
  );
}
