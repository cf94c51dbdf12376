/** The table twin of a funnel: the same stages with every part as `n of N`. */
import { formatCount, formatShare } from "../../../analytics/client/format.ts";
import { DataTable } from "./data-table.tsx";
import type { Cost, StageGroup } from "./funnel-stages.ts";
import { partOf } from "./part.ts";

export function FunnelTable({ groups, caption }: { readonly groups: readonly StageGroup[]; readonly caption: string }) {
  return (
    <DataTable
      caption={caption}
      rows={groups.flatMap((group) => group.stages.map((stage) => ({ ...stage, group: group.title })))}
      rowKey={({ name }) => name}
      columns={[
        {
          id: "stage",
          title: "Stage",
          header: true,
          cell: ({ label, sub, previous }) => (sub && previous !== null ? `${previous.label}, ${label}` : label),
        },
        { id: "group", title: "Part of the funnel", cell: ({ group }) => group },
        { id: "count", title: "Episodes", align: "end", cell: ({ count }) => formatCount(count) },
        {
          id: "previous",
          title: "Of the stage before",
          cell: ({ count, previous }) =>
            previous === null ? "" : `${formatShare(partOf(count, previous.count))} ${previous.label}`,
        },
        {
          id: "settled",
          title: "Of settled",
          cell: ({ count, settled }) =>
            settled === null ? "" : <span className="share">{formatShare(partOf(count, settled))}</span>,
        },
        {
          id: "turns",
          title: "Extra turns",
          align: "end",
          cell: ({ cost }) => (cost === null ? "" : formatCount(cost.extraTurns)),
        },
        { id: "in", title: "Input tokens", align: "end", cell: ({ cost }) => tokens(cost, "input_tokens") },
        { id: "out", title: "Output tokens", align: "end", cell: ({ cost }) => tokens(cost, "output_tokens") },
      ]}
    />
  );
}

function tokens(cost: Cost | null, which: "input_tokens" | "output_tokens"): string {
  if (cost === null) return "";
  const count = cost.usage[which];
  return count === null ? (cost.extraTurns === 0 ? "none" : "not reported") : formatCount(count);
}
