/** The table twin of the tiles: the rates as text, and the same in each bucket of time. */
import { formatCount, formatDay, formatRate, formatShare, formatTime } from "../../../analytics/client/format.ts";
import { DataTable } from "../kit/data-table.tsx";
import { outcomesText } from "../kit/outcome-bar.tsx";
import { RATE_WORDS } from "../kit/words.ts";
import type { RateTilesProps } from "./rate-tiles.tsx";
import { SIX_RATES } from "./six-rates.ts";

export function RateTables({ answer, timeline }: RateTilesProps) {
  const { overall } = answer;
  const when = timeline?.bucket === "day" ? formatDay : formatTime;
  return (
    <>
      <DataTable
        caption="The six rates"
        rows={SIX_RATES}
        rowKey={(name) => name}
        columns={[
          { id: "rate", title: "Rate", header: true, cell: (name) => RATE_WORDS[name].title },
          { id: "of", title: "Of", cell: (name) => RATE_WORDS[name].of },
          { id: "value", title: "n of N", cell: (name) => formatRate(overall.rates[name]) },
          {
            id: "worst",
            title: "Worst tool",
            cell: (name) => {
              const worst = overall.worst_tool?.[name];
              return worst ? `${worst.tool} ${formatShare(worst.rate)}` : "none";
            },
          },
        ]}
      />
      {timeline === undefined ? null : (
        <DataTable
          caption={`The six rates by ${timeline.bucket}, UTC`}
          rows={timeline.points}
          rowKey={({ start }) => start}
          columns={[
            { id: "start", title: `From (${timeline.bucket}, UTC)`, header: true, cell: ({ start }) => when(start) },
            { id: "calls", title: "Calls", align: "end", cell: ({ calls }) => formatCount(calls) },
            ...SIX_RATES.map((name) => ({
              id: name,
              title: RATE_WORDS[name].title,
              cell: (point: (typeof timeline.points)[number]) => formatShare(point.rates[name]),
            })),
            { id: "ended", title: "Runs ended", cell: (point) => outcomesText(point.terminal_outcomes) },
          ]}
        />
      )}
    </>
  );
}
