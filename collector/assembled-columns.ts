/** The columns of `run`, `turn` and `call`, and what an assembled run holds for each. */
import { bytesCell, type Cell, listCell } from "./array-literal.ts";
import type { AssembledCall, AssembledRun, AssembledTurn } from "./assembly/types.ts";
import { type Column, timeCell } from "./insert-rows.ts";

type CallRow = AssembledCall & { readonly run_id: string };
type TurnRow = AssembledTurn & { readonly run_id: string };

type CellKey<Row> = { [K in keyof Row]: Row[K] extends Cell ? K : never }[keyof Row] & string;
type ListKey<Row> = { [K in keyof Row]: Row[K] extends readonly string[] | null ? K : never }[keyof Row] & string;
type TimeKey<Row> = { [K in keyof Row]: Row[K] extends number ? K : never }[keyof Row] & string;

/** Columns that hold a field of the row under its own name. */
function plain<Row extends object>(type: Column<Row>["type"], ...names: CellKey<Row>[]): Column<Row>[] {
  return names.map((name) => ({ name, type, cell: (row) => row[name] as Cell }));
}

function times<Row extends object>(...names: TimeKey<Row>[]): Column<Row>[] {
  return names.map((name) => ({ name, type: "timestamptz", cell: (row) => timeCell(row[name] as number) }));
}

function lists<Row extends object>(...names: ListKey<Row>[]): Column<Row>[] {
  return names.map((name) => ({
    name,
    type: "text[]",
    cell: (row) => listCell(row[name] as readonly string[] | null),
  }));
}

function project<Row>(projectId: number): Column<Row> {
  return { name: "project_id", type: "integer", cell: () => projectId };
}

export function runColumns(projectId: number): Column<AssembledRun>[] {
  return [
    project(projectId),
    ...plain<AssembledRun>("text", "run_id", "run_key", "source", "time_source", "agent_name", "agent_version"),
    ...plain<AssembledRun>("text", "conversation_id", "environment", "service_name", "parent_run_id", "parent_call_id"),
    ...plain<AssembledRun>("text", "model", "outcome", "budget"),
    ...plain<AssembledRun>("boolean", "ended"),
    ...plain<AssembledRun>("integer", "legs", "text_only_turns", "left_out_calls"),
    { name: "turns", type: "integer", cell: (run) => run.turns.length },
    { name: "calls", type: "integer", cell: (run) => run.proposed_calls },
    ...times<AssembledRun>("started_at", "ended_at", "first_received_at", "last_received_at"),
  ];
}

export function turnColumns(projectId: number): Column<TurnRow>[] {
  return [
    project(projectId),
    ...plain<TurnRow>("text", "run_id", "turn_source", "model", "provider"),
    ...plain<TurnRow>("integer", "turn", "leg", "tools_offered", "tool_definition_tokens"),
    ...plain<TurnRow>("bigint", "input_tokens", "cached_input_tokens", "cache_write_tokens", "output_tokens"),
    ...plain<TurnRow>("double precision", "duration_ms"),
    ...times<TurnRow>("start_time"),
  ];
}

export function callColumns(projectId: number): Column<CallRow>[] {
  return [
    project(projectId),
    { name: "trace_id", type: "bytea", cell: (call) => bytesCell(call.trace_id) },
    { name: "span_id", type: "bytea", cell: (call) => bytesCell(call.span_id) },
    ...times<CallRow>("start_time", "end_time", "received_at"),
    ...plain<CallRow>("double precision", "duration_ms"),
    ...plain<CallRow>("integer", "leg", "turn", "ordinal", "sequence", "undeclared_arguments", "execution_attempts"),
    ...plain<CallRow>("integer", "definition_tokens"),
    ...plain<CallRow>("smallint", "rung"),
    ...plain<CallRow>("bigint", "result_bytes"),
    ...plain<CallRow>("text", "run_id", "turn_source", "call_id", "tool", "tool_source", "link_tool", "requested"),
    ...plain<CallRow>("text", "nearest", "key_id", "signature", "repair_of", "link_source", "operation_id", "origin"),
    ...plain<CallRow>("text", "verdict", "schema_verdict", "failure_class", "fingerprint", "fingerprint_version"),
    ...plain<CallRow>("text", "retryability", "text_id", "text_source", "rule", "template_version", "schema_version"),
    ...plain<CallRow>("text", "risk", "runs_on", "result_state", "continuation_id", "model", "agent_name"),
    ...plain<CallRow>("text", "environment"),
    ...plain<CallRow>("boolean", "parsed_source", "validated", "corrected", "has_result", "delivered", "external"),
    ...plain<CallRow>("boolean", "strict", "deferred", "result_evidence", "result_truncated", "result_empty"),
    ...lists<CallRow>("argument_digests", "fingerprints", "properties"),
    { name: "cohort", type: "jsonb", cell: (call) => JSON.stringify(call.cohort) },
  ];
}
