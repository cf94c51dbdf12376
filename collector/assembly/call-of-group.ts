/** One call out of what its observations say. */
import { type CallAround, executionsOf } from "./executions.ts";
import type { CallGroup } from "./one-call.ts";
import { byEnd, lastSaid, least, milliseconds, millisecondsUp, spanDuration } from "./order.ts";
import type { AssembledCall, CallCohort, SaidOfCall } from "./types.ts";
import { verdictOf } from "./verdict.ts";

const UNKNOWN_TOOL = "_unknown";

export interface CallPlace {
  readonly leg: number;
  readonly turn: number;
  readonly ordinal: number;
  readonly turn_source: "exact" | "inferred";
}

/** What the run and the turn say where the call does not. */
export interface CallSurroundings {
  readonly model: string | null;
  readonly agent_name: string | null;
  readonly environment: string | null;
}

export function callOfGroup(
  group: CallGroup,
  place: CallPlace,
  surroundings: CallSurroundings,
  callAround: CallAround,
): AssembledCall {
  const first = group[0]!;
  const said = [...group].sort(byEnd);
  const { attempts, counting, span } = executionsOf(group, callAround);
  type Facts = SaidOfCall["record"];
  const ofCall = <K extends keyof Facts>(key: K) => lastSaid(said, (call) => call.record[key]);
  // What came of a call is told by one execution alone: an error that the engine retried was never read.
  const ofResult = <K extends keyof Facts>(key: K) => lastSaid(counting, (call) => call.record[key]);
  const stated = ofResult("verdict");
  // Rejected, and nobody says why: it failed, and nothing more is known.
  const failureClass = failureOf(counting) ?? (stated === "rejected" ? "unclassified" : null);
  const hasResult = counting.some((call) => call.record.has_result !== false);
  const tool = ofCall("tool")!;
  return {
    trace_id: first.trace_id,
    span_id: first.span_id,
    start_time: milliseconds(first.start_ns),
    end_time: millisecondsUp(span.end_ns),
    received_at: least(group.map((call) => call.received_at)),
    duration_ms: spanDuration(span),
    ...place,
    sequence: ofCall("sequence"),
    call_id: ofCall("call_id"),
    tool,
    tool_source: ofCall("tool_source"),
    link_tool: linkTool(tool, ofCall("tool_source"), ofCall("requested")),
    requested: ofCall("requested"),
    nearest: ofCall("nearest"),
    key_id: ofCall("key_id"),
    signature: ofCall("signature"),
    argument_digests: ofCall("argument_digests"),
    parsed_source: ofCall("parsed_source"),
    repair_of: ofCall("repair_of"),
    link_source: ofCall("link_source"),
    operation_id: ofCall("operation_id"),
    origin: ofCall("origin") ?? "model",
    validated: ofCall("validated"),
    corrected: ofResult("corrected"),
    undeclared_arguments: ofCall("undeclared_arguments"),
    verdict: verdictOf(stated, failureClass, hasResult),
    schema_verdict: ofCall("schema_verdict"),
    failure_class: failureClass,
    has_result: hasResult,
    execution_attempts: attempts,
    fingerprint: ofResult("fingerprint"),
    fingerprints: ofResult("fingerprints"),
    fingerprint_version: ofResult("fingerprint_version"),
    retryability: ofResult("retryability"),
    rung: ofResult("rung"),
    properties: ofResult("properties"),
    text_id: ofResult("text_id"),
    text_source: ofResult("text_source"),
    rule: ofResult("rule"),
    delivered: ofCall("delivered"),
    template_version: ofCall("template_version"),
    schema_version: ofCall("schema_version"),
    risk: ofCall("risk") ?? "unstated",
    external: ofCall("external"),
    strict: ofCall("strict"),
    deferred: ofCall("deferred"),
    runs_on: ofCall("runs_on"),
    definition_tokens: ofCall("definition_tokens"),
    result_state: ofResult("result_state"),
    result_evidence: ofResult("result_evidence"),
    continuation_id: ofResult("continuation_id"),
    result_bytes: ofResult("result_bytes"),
    result_truncated: ofResult("result_truncated"),
    result_empty: ofResult("result_empty"),
    model: surroundings.model,
    agent_name: ofCall("agent_name") ?? surroundings.agent_name,
    environment: ofCall("environment") ?? surroundings.environment,
    cohort: cohortOf(said),
  };
}

/** `unclassified` says that nothing more is known: another span of the same execution that knows more wins over it. */
function failureOf(execution: readonly SaidOfCall[]): string | null {
  const known = lastSaid(execution, ({ record }) =>
    record.failure_class === "unclassified" ? null : record.failure_class,
  );
  return known ?? lastSaid(execution, ({ record }) => record.failure_class);
}

/** Two servers' `search` are two tools; two invented names are two tools. */
function linkTool(tool: string, source: string | null, requested: string | null): string {
  if (tool === UNKNOWN_TOOL) return requested === null ? UNKNOWN_TOOL : `${UNKNOWN_TOOL}/${requested}`;
  return source === null ? tool : `${tool}@${source}`;
}

function cohortOf(said: readonly SaidOfCall[]): CallCohort {
  const keys: Record<string, string> = {};
  const flags: Record<string, string> = {};
  for (const { record } of said) {
    Object.assign(keys, record.cohort);
    Object.assign(flags, record.feature_flags);
  }
  const assignment = lastSaid(said, (call) => call.record.assignment);
  return {
    ...(Object.keys(keys).length > 0 && { keys }),
    ...(Object.keys(flags).length > 0 && { flags }),
    ...(assignment !== null && { assignment }),
  };
}
