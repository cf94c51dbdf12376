/** The charts over time as a table: one row per bucket, the latest first. */
import type { TimelineAnswer } from "../../../analytics/client/client.ts";
import { formatCount, formatTime } from "../../../analytics/client/format.ts";
import { DataTable } from "../kit/data-table.tsx";
import { outcomesText } from "../kit/outcome-bar.tsx";
import { RateCell } from "../kit/rate-line.tsx";
import { RATE_WORDS, type RateName } from "../kit/words.ts";

export function TimelineTable(props: { readonly points: TimelineAnswer["points"]; readonly rate: RateName }) {
  const { points, rate } = props;
  return (
    <DataTable
      name="timeline"
      caption={`${RATE_WORDS[rate].title} per bucket`}
      rows={points.toReversed()}
      rowKey={({ start }) => start}
      rowProps={({ start }) => ({ "data-bucket": start })}
      columns={[
        {
          id: "start",
          title: "Begins",
          header: true,
          value: ({ start }) => start,
          cell: ({ start }) => formatTime(start),
        },
        {
          id: "rate",
          title: RATE_WORDS[rate].title,
          note: `of ${RATE_WORDS[rate].of}`,
          value: ({ rates }) => rates[rate].value,
          cell: ({ rates }) => <RateCell rate={rates[rate]} name={rate} />,
        },
        {
          id: "ended",
          title: "Runs ended",
          note: "settled repair episodes",
          cell: ({ terminal_outcomes }) => outcomesText(terminal_outcomes),
        },
        {
          id: "first",
          title: "First attempts",
          align: "end",
          value: ({ first_attempts }) => first_attempts.total,
          cell: ({ first_attempts }) => formatCount(first_attempts.total),
        },
        {
          id: "rejected",
          title: "Rejected",
          align: "end",
          value: ({ first_attempts }) => first_attempts.rejected,
          cell: ({ first_attempts }) => formatCount(first_attempts.rejected),
        },
        {
          id: "pending",
          title: "Pending",
          align: "end",
          value: ({ episodes }) => episodes.pending,
          cell: ({ episodes }) => formatCount(episodes.pending),
        },
        {
          id: "turns",
          title: "Extra turns",
          align: "end",
          value: ({ extra_model_turns }) => extra_model_turns,
          cell: ({ extra_model_turns }) => formatCount(extra_model_turns),
        },
      ]}
    />
  );
}
