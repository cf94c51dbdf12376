/** From what linking says of a run to the tables' rows. Pure; `linker.ts` writes them. */
import type { NewAttemptRow, NewEpisodeRow, NewRunCountRow } from "../../database/schema.ts";
import { type CallCount, type CountedCall, countCalls } from "./count.ts";
import { episodesOf } from "./episodes.ts";
import type { Cohorts } from "./linker-cohorts.ts";
import { callOf, type LoadedCall, type LoadedRun } from "./linker-rows.ts";
import { isSettled } from "./settle.ts";
import type { Episode, LinkEvidence, LinkSettings, LinkTurn } from "./types.ts";

/** A run with its turns and calls, as they are stored. */
export interface RunToLink {
  readonly run: LoadedRun;
  readonly turns: readonly LinkTurn[];
  /** Of every origin; linking takes those that the model proposed. */
  readonly calls: readonly LoadedCall[];
  /** For a continuation that no run has closed; a run that has ended waits for nothing, whatever stands here. */
  readonly waiting: boolean;
}

export interface LinkedRows {
  readonly episodes: readonly NewEpisodeRow[];
  readonly attempts: readonly NewAttemptRow[];
  readonly counts: readonly NewRunCountRow[];
}

/**
 * Links one run.
 *
 * @param now - What has settled by then is in the rollups as soon as it is written.
 * @param cohorts - Gets the cohorts of the rows.
 */
export function linkedRows(
  { run, turns, calls, waiting }: RunToLink,
  { settings, now, cohorts }: { readonly settings: LinkSettings; readonly now: Date; readonly cohorts: Cohorts },
): LinkedRows {
  const timed = run.time_source !== "import";
  const counted = {
    turns,
    calls: calls.filter(({ origin }) => origin === "model").map((row) => callOf(row, timed)),
    ended: run.ended,
    outcome: run.outcome,
    waiting: waiting && !run.ended,
    lastReceivedAt: run.last_received_at.getTime(),
  };
  const { episodes, roles } = episodesOf(counted, settings);
  const byKey = new Map(counted.calls.map((call) => [call.key, call]));
  const key = { project_id: run.project_id, run_id: run.run_id };
  const linked = { waiting: counted.waiting, now, cohorts };
  return {
    episodes: episodes.map((episode) => episodeRow(key, episode, byKey.get(episode.opening.key)!, linked)),
    attempts: episodes.flatMap((episode) => attemptRows(key, episode)),
    counts: countCalls(counted, roles).map((count) => countRow(key, count, cohorts)),
  };
}

/** The run that a row belongs to. */
interface RunKey {
  readonly project_id: number;
  readonly run_id: string;
}

/** Repair links by their evidence. */
function linksOf({ attempts }: Episode) {
  const by = (wanted: LinkEvidence) => attempts.filter(({ evidence }) => evidence === wanted).length;
  return {
    linked_explicit: by("explicit"),
    linked_operation: by("operation"),
    linked_digest: by("digest"),
    linked_order: by("order"),
  };
}

/** @param opening the episode's opening call, whose tool and cohort it belongs to. */
function episodeRow(
  run: RunKey,
  episode: Episode,
  opening: CountedCall,
  { waiting, now, cohorts }: { readonly waiting: boolean; readonly now: Date; readonly cohorts: Cohorts },
): NewEpisodeRow {
  const { attributed, unchangedRepeat, unchangedRepeatLater } = episode;
  return {
    ...run,
    kind: episode.kind,
    turn: opening.turn,
    ordinal: opening.ordinal,
    opened_at: new Date(opening.startedAt),
    cohort_id: cohorts.idOf(opening),
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
    ...linksOf(episode),
    rolled: isSettled(episode, now),
    waiting,
  };
}

function timeOrInfinity(time: number): Date | string {
  if (Number.isFinite(time)) return new Date(time);
  return time < 0 ? "-infinity" : "infinity";
}

function attemptRows(run: RunKey, { kind, opening, attempts }: Episode): NewAttemptRow[] {
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

function countRow(run: RunKey, count: CallCount, cohorts: Cohorts): NewRunCountRow {
  return {
    ...run,
    minute: new Date(count.minute),
    first_call_at: new Date(count.firstCallAt),
    cohort_id: cohorts.idOf(count),
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
    runs: count.runs,
    runs_ended: count.runsEnded,
    runs_known: count.runsKnown,
    runs_completed: count.runsCompleted,
    tool_runs: count.toolRuns,
    tool_runs_ended: count.toolRunsEnded,
    tool_runs_known: count.toolRunsKnown,
    tool_runs_completed: count.toolRunsCompleted,
  };
}
