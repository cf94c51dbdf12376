/** What lists are ordered by, side by side and never weighted: the weights decide the order alone. */
import type { Group } from "../../../analytics/client/client.ts";
import { formatCompact, formatCount, formatCountOf } from "../../../analytics/client/format.ts";
import type { Column } from "../kit/data-table.tsx";
import { OutcomeBar, outcomesText } from "../kit/outcome-bar.tsx";
import { RateCell } from "../kit/rate-line.tsx";
import { RATE_WORDS, type RateName } from "../kit/words.ts";

export const HURT_NOTE =
  "Ordered by unrepaired episodes in runs that did not complete, then attributed tokens, then extra turns, each weighted by risk (read 1, reversible write 3, irreversible write and unstated 10). The columns are unweighted.";

export function hurtColumns<Row extends Group>(): Column<Row>[] {
  return [
    {
      id: "unrepaired",
      title: "Unrepaired",
      note: "run not completed",
      align: "end",
      value: ({ hurts }) => hurts.unrepaired_not_completed,
      cell: ({ hurts }) => formatCount(hurts.unrepaired_not_completed),
    },
    {
      id: "tokens",
      title: "Tokens",
      note: "attributed",
      align: "end",
      value: ({ hurts }) => hurts.attributed_tokens,
      cell: ({ hurts }) => (
        <span title={formatCount(hurts.attributed_tokens)}>{formatCompact(hurts.attributed_tokens)}</span>
      ),
    },
    {
      id: "turns",
      title: "Extra turns",
      align: "end",
      value: ({ hurts }) => hurts.extra_model_turns,
      cell: ({ hurts }) => formatCount(hurts.extra_model_turns),
    },
  ];
}

export function rateColumn<Row extends Group>(name: RateName): Column<Row> {
  return {
    id: name,
    title: RATE_WORDS[name].title,
    value: ({ rates }) => rates[name].value,
    cell: ({ rates }) => <RateCell rate={rates[name]} name={name} />,
  };
}

export function endedColumn<Row extends Group>(nameOf: (row: Row) => string): Column<Row> {
  return {
    id: "ended",
    title: "Runs ended",
    note: "of settled repair episodes",
    cell: (row) => (
      <div className="ended-cell" title={outcomesText(row.terminal_outcomes)}>
        <OutcomeBar outcomes={row.terminal_outcomes} of={`settled repair episodes of ${nameOf(row)}`} />
        <span className="note">{formatCountOf(row.terminal_outcomes.completed.denominator, "episode")}</span>
      </div>
    ),
  };
}
