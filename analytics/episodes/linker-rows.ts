/** Between the tables' rows and the types of linking. Pure; `linker.ts` reads and writes the rows. */
import type { CallRow, NewAttemptRow, NewEpisodeRow, NewRunCountRow, TurnRow } from "../../database/schema.ts";
import type { CallCount, CountedCall } from "./count.ts";
import type { ContinuationResult } from "./settle.ts";
import type { Episode, LinkTurn } from "./types.ts";

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
] as const satisfies readonly (keyof CallRow)[];

export type LoadedCall = Pick<CallRow, (typeof CALL_COLUMNS)[number]>;

export function callOf(row: LoadedCall): CountedCall {
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
    validated: row.validated,
    corrected: row.corrected,
    schemaVerdict: row.schema_verdict,
    turnSource: row.turn_source,
  };
}

const placeKey = ({ turn, ordinal }: { turn: number; ordinal: number }): string => `${turn}:${ordinal}`;

/** What a call said of a continuation; null where it said nothing. Calls of every origin may close one. */
export function continuationOf(
  row: Pick<LoadedCall, "turn" | "ordinal" | "end_time" | "result_state" | "continuation_id">,
): ContinuationResult | null {
  const { continuation_id: continuationId, result_state: state, end_time, turn, ordinal } = row;
  return continuationId === null ? null : { state, continuationId, endedAt: end_time.getTime(), turn, ordinal };
}

/** The run that a row belongs to. */
export interface RunKey {
  readonly project_id: number;
  readonly run_id: string;
}

/** @param opening the episode's opening call, whose tool and cohort it belongs to. */
export function episodeRow(run: RunKey, episode: Episode, opening: CountedCall): NewEpisodeRow {
  const { attributed, unchangedRepeat, unchangedRepeatLater } = episode;
  return {
    ...run,
    kind: episode.kind,
    turn: opening.turn,
    ordinal: opening.ordinal,
    opened_at: new Date(opening.startedAt),
    ...cohortColumns(opening),
    failure_class: opening.failureClass ?? "unclassified",
    attempts: episode.attempts.length,
    repaired: episode.repaired,
    decided: episode.decided,
    settles_at: timeOrInfinity(episode.settlesAt),
    repair_turns: episode.repairTurns,
    first_repair: episode.firstRepair,
    eventual_repair: episode.eventualRepair,
    late_repair: episode.lateRepair,
    unchanged_repeat: unchangedRepeat,
    unchanged_repeat_later: unchangedRepeatLater,
    // At whatever distance: at most one of the two is not false.
    first_attempt_unchanged: unchangedRepeat === false ? unchangedRepeatLater : unchangedRepeat,
    unchanged_steps: episode.unchangedSteps,
    steps: episode.steps,
    targeted_change: episode.targetedChange,
    next_action: episode.nextAction,
    next_tool: episode.nextTool,
    funnel_row: episode.funnelRow,
    terminal_outcome: episode.terminalOutcome,
    extra_model_turns: episode.extraModelTurns,
    attributed_model_turns: attributed.modelTurns,
    attributed_input_tokens: attributed.inputTokens,
    attributed_cached_input_tokens: attributed.cachedInputTokens,
    attributed_cache_write_tokens: attributed.cacheWriteTokens,
    attributed_output_tokens: attributed.outputTokens,
    attributed_duration_ms: attributed.durationMs,
    shares: attributed.shares,
    shares_with_input_tokens: attributed.sharesWithInputTokens,
    shares_with_output_tokens: attributed.sharesWithOutputTokens,
  };
}

function timeOrInfinity(time: number): Date | string {
  if (Number.isFinite(time)) return new Date(time);
  return time < 0 ? "-infinity" : "infinity";
}

export function attemptRows(run: RunKey, { kind, opening, attempts }: Episode): NewAttemptRow[] {
  return attempts.map(({ call, evidence }, index) => ({
    ...run,
    kind,
    opening_turn: opening.turn,
    opening_ordinal: opening.ordinal,
    attempt: index + 1,
    turn: call.turn,
    ordinal: call.ordinal,
    evidence,
  }));
}

export function countRow(run: RunKey, count: CallCount): NewRunCountRow {
  return {
    ...run,
    minute: new Date(count.minute),
    first_call_at: new Date(count.firstCallAt),
    ...cohortColumns(count),
    failure_class: count.failureClass,
    calls: count.calls,
    results: count.results,
    first_accepted: count.firstAccepted,
    first_rejected: count.firstRejected,
    repair_accepted: count.repairAccepted,
    repair_rejected: count.repairRejected,
    repair_unknown: count.repairUnknown,
    unpaired_unknown: count.unpairedUnknown,
    not_validated: count.notValidated,
    corrected: count.corrected,
    against_schema: count.againstSchema,
    inferred_turns: count.inferredTurns,
  };
}

function cohortColumns(of: CountedCall | CallCount) {
  return {
    tool: of.tool,
    tool_source: of.toolSource,
    schema_version: of.schemaVersion,
    template_version: of.templateVersion,
    fingerprint: of.fingerprint,
    rung: of.rung,
    retryability: of.retryability,
    model: of.model,
    agent_name: of.agentName,
    environment: of.environment,
    risk: of.risk,
    external: of.external,
  };
}
