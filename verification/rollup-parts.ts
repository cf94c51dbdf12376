/** What one row of `run_count` or one episode adds to the rollups. Pure. */
import type { CallCounters, EpisodeCounters } from "../database/schema.ts";
import { billionths } from "./nine-decimals.ts";

/** A time as the driver returns it, or as a row that is to be written has it. */
export type Time = Date | number | string;

/** A row of `run_count`, stored or recomputed. */
export type CallPart = CallCounters<number> & { readonly minute: Time; readonly cohort_id: string };

/** Of an episode, stored or recomputed, what stands in the rollups. */
export interface EpisodePart {
  readonly opened_at: Time;
  readonly cohort_id: string;
  readonly kind: string;
  readonly funnel_row: string;
  readonly terminal_outcome: string;
  readonly extra_model_turns: number;
  readonly repaired: boolean;
  readonly first_repair: boolean;
  readonly eventual_repair: boolean;
  readonly late_repair: boolean;
  readonly unchanged_repeat?: boolean | null | undefined;
  readonly unchanged_repeat_later?: boolean | null | undefined;
  readonly first_attempt_unchanged?: boolean | null | undefined;
  readonly targeted_change?: boolean | null | undefined;
  readonly unchanged_steps: number;
  readonly steps: number;
  readonly next_action: string;
  readonly linked_explicit: number;
  readonly linked_operation: number;
  readonly linked_digest: number;
  readonly linked_order: number;
  readonly attributed_model_turns: number;
  readonly attributed_input_tokens?: number | null | undefined;
  readonly attributed_cached_input_tokens?: number | null | undefined;
  readonly attributed_cache_write_tokens?: number | null | undefined;
  readonly attributed_output_tokens?: number | null | undefined;
  readonly attributed_duration_ms?: number | null | undefined;
  readonly shares: number;
  readonly shares_with_input_tokens: number;
  readonly shares_with_output_tokens: number;
}

/** Counters of an episode that are whole numbers, and those in billionths. */
export type Usage =
  | "model_turns"
  | "input_tokens"
  | "cached_input_tokens"
  | "cache_write_tokens"
  | "output_tokens"
  | "duration_ms";
type Count = Exclude<keyof EpisodeCounters<unknown>, Usage>;

const one = (is: boolean | null | undefined): number => (is === true ? 1 : 0);
const known = (value: unknown): number => (value === null || value === undefined ? 0 : 1);

/** Each true fact as 1; what nobody can tell is not among the `*_known`. */
export function countsOf(episode: EpisodePart): Record<Count, number> {
  const next = (action: string): number => one(episode.next_action === action);
  return {
    episodes: 1,
    repaired: one(episode.repaired),
    first_repair: one(episode.first_repair),
    eventual_repair: one(episode.eventual_repair),
    late_repair: one(episode.late_repair),
    unchanged_repeat: one(episode.unchanged_repeat),
    unchanged_repeat_known: known(episode.unchanged_repeat),
    unchanged_repeat_later: one(episode.unchanged_repeat_later),
    unchanged_steps: episode.unchanged_steps,
    steps: episode.steps,
    targeted_change: one(episode.targeted_change),
    targeted_change_known: known(episode.targeted_change),
    first_attempt_unchanged: one(episode.first_attempt_unchanged),
    first_attempt_unchanged_known: known(episode.first_attempt_unchanged),
    next_repaired_next_turn: next("repaired_next_turn"),
    next_repaired_later: next("repaired_later"),
    next_repeated_unchanged: next("repeated_unchanged"),
    next_changed_still_invalid: next("changed_still_invalid"),
    next_not_known: next("not_known"),
    next_changed_direction: next("changed_direction"),
    next_gave_up: next("gave_up"),
    linked_explicit: episode.linked_explicit,
    linked_operation: episode.linked_operation,
    linked_digest: episode.linked_digest,
    linked_order: episode.linked_order,
    shares: episode.shares,
    shares_with_input_tokens: episode.shares_with_input_tokens,
    shares_with_output_tokens: episode.shares_with_output_tokens,
    input_tokens_known: known(episode.attributed_input_tokens),
    cached_input_tokens_known: known(episode.attributed_cached_input_tokens),
    cache_write_tokens_known: known(episode.attributed_cache_write_tokens),
    output_tokens_known: known(episode.attributed_output_tokens),
    duration_ms_known: known(episode.attributed_duration_ms),
  };
}

/** In billionths; a usage that no turn stated adds nothing. */
export function usageOf(episode: EpisodePart): Record<Usage, bigint> {
  return {
    model_turns: billionths(episode.attributed_model_turns),
    input_tokens: billionths(episode.attributed_input_tokens ?? 0),
    cached_input_tokens: billionths(episode.attributed_cached_input_tokens ?? 0),
    cache_write_tokens: billionths(episode.attributed_cache_write_tokens ?? 0),
    output_tokens: billionths(episode.attributed_output_tokens ?? 0),
    duration_ms: billionths(episode.attributed_duration_ms ?? 0),
  };
}

export function callsOf(part: CallPart): CallCounters<number> {
  return {
    calls: part.calls,
    results: part.results,
    first_accepted: part.first_accepted,
    first_rejected: part.first_rejected,
    repair_accepted: part.repair_accepted,
    repair_rejected: part.repair_rejected,
    repair_unknown: part.repair_unknown,
    unpaired_unknown: part.unpaired_unknown,
    not_validated: part.not_validated,
    corrected: part.corrected,
    against_schema: part.against_schema,
    inferred_turns: part.inferred_turns,
    runs: part.runs,
    runs_ended: part.runs_ended,
    runs_known: part.runs_known,
    runs_completed: part.runs_completed,
    tool_runs: part.tool_runs,
    tool_runs_ended: part.tool_runs_ended,
    tool_runs_known: part.tool_runs_known,
    tool_runs_completed: part.tool_runs_completed,
  };
}
