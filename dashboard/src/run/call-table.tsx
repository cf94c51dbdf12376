/** The timeline as a table: a row per call, and one per turn that held only text. */
import { formatCount, formatDuration } from "../../../analytics/client/format.ts";
import { type Column, DataTable } from "../kit/data-table.tsx";
import { VerdictTag } from "../kit/tag.tsx";
import { Fingerprint } from "./call-chip.tsx";
import { storyOf } from "./call-words.ts";
import type { Lane, PlacedCall, Timeline } from "./timeline.ts";

interface Row {
  readonly lane: Lane;
  readonly placed: PlacedCall | null;
}

const NOT_REPORTED = "not reported";
const count = (value: number | null) => (value === null ? NOT_REPORTED : formatCount(value));

export function CallTable({ timeline: { lanes, calls } }: { readonly timeline: Timeline }) {
  const marked = calls.filter(({ mark }) => mark !== null);
  const rows = lanes.flatMap((lane): Row[] =>
    lane.calls.length === 0 ? [{ lane, placed: null }] : lane.calls.map((placed) => ({ lane, placed })),
  );
  return (
    <DataTable
      name="calls"
      caption="Calls of the run, in the order of turns"
      rows={rows}
      rowKey={({ lane, placed }) => placed?.place ?? `turn ${lane.turn.turn}`}
      rowProps={({ lane, placed }) => ({ "data-row": placed?.place ?? String(lane.turn.turn) })}
      columns={columnsOf(marked)}
    />
  );
}

function columnsOf(marked: readonly PlacedCall[]): Column<Row>[] {
  return [
    {
      ...{ id: "call", title: "Call", note: "turn.place", header: true },
      cell: ({ lane, placed }) => placed?.place ?? `${lane.turn.turn}`,
    },
    {
      ...{ id: "tool", title: "Tool" },
      value: ({ placed }) => placed?.call.tool ?? null,
      cell: ({ placed }) => placed?.call.tool ?? <span className="quiet">text only</span>,
    },
    {
      ...{ id: "verdict", title: "Verdict" },
      value: ({ placed }) => placed?.call.verdict ?? null,
      cell: ({ placed }) => (placed === null ? null : <VerdictTag verdict={placed.call.verdict} />),
    },
    { id: "class", title: "Failure class", cell: ({ placed }) => placed?.call.failure_class },
    {
      ...{ id: "fingerprint", title: "Fingerprint" },
      value: ({ placed }) => placed?.call.fingerprint ?? null,
      cell: ({ placed }) => (placed?.call.fingerprint == null ? null : <Fingerprint text={placed.call.fingerprint} />),
    },
    {
      ...{ id: "rung", title: "Rung", align: "end" },
      cell: ({ placed }) => (placed?.call.rung == null ? null : formatCount(placed.call.rung)),
    },
    { id: "template", title: "Template", cell: ({ placed }) => placed?.call.template_version },
    { id: "same", title: "Same call", note: "equal letters", cell: ({ placed }) => placed?.mark },
    {
      ...{ id: "links", title: "Links and notes" },
      cell: ({ placed }) => (placed === null ? null : <span className="link-cell">{storyOf(placed, marked)}</span>),
    },
    {
      ...{ id: "latency", title: "Latency", align: "end" },
      value: ({ placed }) => placed?.call.duration_ms ?? null,
      cell: ({ placed }) =>
        placed === null ? null : <span className="nowrap">{formatDuration(placed.call.duration_ms)}</span>,
    },
    { id: "model", title: "Model", note: "of the turn", cell: ({ lane }) => lane.turn.model ?? "not known" },
    {
      ...{ id: "input", title: "Input", note: "tokens of the turn", align: "end" },
      value: ({ lane }) => lane.turn.input_tokens,
      cell: ({ lane }) => count(lane.turn.input_tokens),
    },
    {
      ...{ id: "cached", title: "Cached", note: "of the input", align: "end" },
      value: ({ lane }) => lane.turn.cached_input_tokens,
      cell: ({ lane }) => count(lane.turn.cached_input_tokens),
    },
    {
      ...{ id: "output", title: "Output", note: "tokens of the turn", align: "end" },
      value: ({ lane }) => lane.turn.output_tokens,
      cell: ({ lane }) => count(lane.turn.output_tokens),
    },
    {
      ...{ id: "duration", title: "Duration", note: "of the turn", align: "end" },
      value: ({ lane }) => lane.turn.duration_ms,
      cell: ({ lane }) => <span className="nowrap">{formatDuration(lane.turn.duration_ms)}</span>,
    },
  ];
}
