/** The columns of the table of fingerprints, by the kind of episode. */
import type { FingerprintRow } from "../../../analytics/client/client.ts";
import { formatCount, formatDay, formatMinute, formatOf, NO_EVIDENCE } from "../../../analytics/client/format.ts";
import type { Column } from "../kit/data-table.tsx";
import { resolvedOf } from "../kit/funnel-stages.ts";
import { RateCell } from "../kit/rate-line.tsx";
import { FingerprintEpisodes, FingerprintName } from "./fingerprint-cells.tsx";
import { actionsOf, MiniBar, outcomesOf } from "./mini-bar.tsx";

export function columnsOf(tool: string, kind: string): readonly Column<FingerprintRow>[] {
  const repair: Column<FingerprintRow>[] = [
    {
      id: "first_repair",
      title: "First repair",
      note: "of settled episodes",
      value: ({ rates }) => rates.first_repair_rate.value,
      cell: ({ rates }) => <RateCell rate={rates.first_repair_rate} name="first_repair_rate" />,
    },
    {
      id: "unchanged",
      title: "Unchanged",
      note: "of settled episodes",
      value: ({ rates }) => rates.unchanged_repeat_rate.value,
      cell: ({ rates }) => <RateCell rate={rates.unchanged_repeat_rate} name="unchanged_repeat_rate" />,
    },
  ];
  return [
    {
      id: "fingerprint",
      title: "Fingerprint",
      header: true,
      cell: (row) => <FingerprintName tool={tool} kind={kind} row={row} />,
    },
    {
      id: "failed",
      title: "Failed calls",
      align: "end",
      value: ({ failed_calls }) => failed_calls,
      cell: ({ failed_calls }) => formatCount(failed_calls),
    },
    {
      id: "episodes",
      title: "Episodes",
      align: "end",
      value: ({ funnel }) => funnel.opened,
      cell: (row) => <FingerprintEpisodes tool={tool} kind={kind} row={row} />,
    },
    ...(kind === "repair" ? repair : [resolvedColumn]),
    {
      id: "next",
      title: "Next action",
      note: "settled episodes",
      cell: ({ funnel }) => <MiniBar title="The model next" parts={actionsOf(funnel)} />,
    },
    {
      id: "ended",
      title: "Runs ended",
      note: "settled episodes",
      cell: ({ funnel }) => <MiniBar title="Runs ended" parts={outcomesOf(funnel)} />,
    },
    {
      id: "turns",
      title: "Extra turns",
      align: "end",
      value: ({ hurts }) => hurts.extra_model_turns,
      cell: ({ hurts }) => formatCount(hurts.extra_model_turns),
    },
    {
      id: "tokens",
      title: "Tokens",
      note: "attributed",
      align: "end",
      value: ({ hurts }) => hurts.attributed_tokens,
      cell: ({ hurts, funnel }) =>
        funnel.usage.input_tokens === null && funnel.usage.output_tokens === null ? (
          <span className="quiet">{hurts.extra_model_turns === 0 ? "none" : "not reported"}</span>
        ) : (
          formatCount(hurts.attributed_tokens)
        ),
    },
    {
      id: "seen",
      title: "First and last seen",
      note: "UTC",
      value: ({ last_seen }) => last_seen,
      cell: ({ first_seen, last_seen }) => (
        <span className="tool-seen" title="to the hour">
          {first_seen === null ? NO_EVIDENCE : formatDay(first_seen)}
          <br />
          {last_seen === null ? null : `${formatDay(last_seen)} ${formatMinute(last_seen)}`}
        </span>
      ),
    },
  ];
}

/** The sibling kinds have no rate of repair: how many of the settled episodes were resolved is a share. */
const resolvedColumn: Column<FingerprintRow> = {
  id: "resolved",
  title: "Resolved",
  note: "of settled episodes",
  value: ({ funnel }) => (funnel.settled === 0 ? null : resolvedOf(funnel)),
  cell: ({ funnel }) => (
    <span>
      {funnel.settled === 0 ? NO_EVIDENCE : formatOf({ numerator: resolvedOf(funnel), denominator: funnel.settled })}
    </span>
  ),
};
