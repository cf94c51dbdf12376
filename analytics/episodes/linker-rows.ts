/** From the tables' rows to the types of linking. Pure; `linker-load.ts` reads the rows. */
import type { CallRow, RunRow, TurnRow } from "../../database/schema.ts";
import type { CountedCall } from "./count.ts";
import type { ContinuationResult } from "./settle.ts";
import type { LinkTurn } from "./types.ts";

export const RUN_COLUMNS = [
  "project_id",
  "run_id",
  "time_source",
  "outcome",
  "ended",
  "turns",
  "calls",
  "started_at",
  "ended_at",
  "last_received_at",
] as const satisfies readonly (keyof RunRow)[];

export type LoadedRun = Pick<RunRow, (typeof RUN_COLUMNS)[number]>;

export const TURN_COLUMNS = [
  "run_id",
  "turn",
  "model",
  "input_tokens",
  "cached_input_tokens",
  "cache_write_tokens",
  "output_tokens",
  "duration_ms",
] as const satisfies readonly (keyof TurnRow)[];

export function turnOf(row: Pick<TurnRow, (typeof TURN_COLUMNS)[number]>): LinkTurn {
  return {
    turn: row.turn,
    model: row.model,
    inputTokens: numberOf(row.input_tokens),
    cachedInputTokens: numberOf(row.cached_input_tokens),
    cacheWriteTokens: numberOf(row.cache_write_tokens),
    outputTokens: numberOf(row.output_tokens),
    durationMs: row.duration_ms,
  };
}

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text));

export const CALL_COLUMNS = [
  "run_id",
  "turn",
  "ordinal",
  "turn_source",
  "start_time",
  "end_time",
  "duration_ms",
  "call_id",
  "tool",
  "tool_source",
  "link_tool",
  "key_id",
  "signature",
  "argument_digests",
  "repair_of",
  "operation_id",
  "origin",
  "validated",
  "corrected",
  "verdict",
  "schema_verdict",
  "failure_class",
  "has_result",
  "fingerprint",
  "retryability",
  "rung",
  "template_version",
  "schema_version",
  "risk",
  "external",
  "model",
  "agent_name",
  "environment",
  "result_state",
  "continuation_id",
  "cohort",
] as const satisfies readonly (keyof CallRow)[];

export type LoadedCall = Pick<CallRow, (typeof CALL_COLUMNS)[number]>;

/** @param timed whether the run's source knows times. */
export function callOf(row: LoadedCall, timed: boolean): CountedCall {
  return {
    key: placeKey(row),
    turn: row.turn,
    ordinal: row.ordinal,
    linkTool: row.link_tool,
    verdict: row.verdict,
    failureClass: row.failure_class,
    hasResult: row.has_result,
    keyId: row.key_id,
    signature: row.signature,
    argumentDigests: row.argument_digests,
    callId: row.call_id,
    repairOf: row.repair_of,
    operationId: row.operation_id,
    fingerprint: row.fingerprint,
    retryability: row.retryability,
    startedAt: row.start_time.getTime(),
    durationMs: row.duration_ms,
    tool: row.tool,
    toolSource: row.tool_source,
    schemaVersion: row.schema_version,
    templateVersion: row.template_version,
    rung: row.rung,
    model: row.model,
    agentName: row.agent_name,
    environment: row.environment,
    risk: row.risk,
    external: row.external,
    timed,
    flags: flagsOf(row.cohort),
    validated: row.validated,
    corrected: row.corrected,
    schemaVerdict: row.schema_verdict,
    turnSource: row.turn_source,
  };
}

/** Of what `call.cohort` holds, the declared keys, in the order of their names. */
function flagsOf({ keys = {} }: { readonly keys?: Readonly<Record<string, string>> }): Record<string, string> {
  return Object.fromEntries(Object.entries(keys).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

const placeKey = ({ turn, ordinal }: { turn: number; ordinal: number }): string => `${turn}:${ordinal}`;

/** What a call said of a continuation; null where it said nothing. Calls of every origin may close one. */
export function continuationOf(
  row: Pick<LoadedCall, "turn" | "ordinal" | "end_time" | "result_state" | "continuation_id">,
): ContinuationResult | null {
  const { continuation_id: continuationId, result_state: state, end_time, turn, ordinal } = row;
  return continuationId === null ? null : { state, continuationId, endedAt: end_time.getTime(), turn, ordinal };
}
