/**
 * What one row of `episode` or `run_count` contributes to the rollups: the one mapping from a row to counters. The
 * linker adds and subtracts it, the settling step adds it, and questions sum it where they look past the rollups.
 */
import { type RawBuilder, sql } from "kysely";
import type { CallCounters, EpisodeCounters } from "../../database/schema.ts";

export type CallCounter = keyof CallCounters<unknown>;
export type EpisodeCounter = keyof EpisodeCounters<unknown>;
/** Added, or taken away again. */
export type Sign = 1 | -1;

/** Columns by which `call_day` and `call_hour` have one row each. */
export const CALL_KEYS = ["project_id", "bucket", "cohort_id"] as const;
/** Columns by which `episode_day` and `episode_hour` have one row each. */
export const EPISODE_KEYS = [...CALL_KEYS, "kind", "funnel_row", "terminal_outcome", "extra_model_turns"] as const;

const CALLS: Readonly<Record<CallCounter, true>> = {
  ...{ calls: true, results: true, first_accepted: true, first_rejected: true, repair_accepted: true },
  ...{ repair_rejected: true, repair_unknown: true, unpaired_unknown: true, not_validated: true, corrected: true },
  ...{ against_schema: true, inferred_turns: true, runs: true, runs_ended: true, runs_known: true },
  ...{ runs_completed: true, tool_runs: true, tool_runs_ended: true, tool_runs_known: true, tool_runs_completed: true },
};

/** Counters of calls: columns of `run_count`, `call_day` and `call_hour` under the same names. */
export const CALL_COUNTERS = Object.keys(CALLS) as readonly CallCounter[];

/** Makes a counter from the row of `episode` that stands under an alias. */
type Make = (column: (name: string) => RawBuilder<unknown>) => RawBuilder<unknown>;

const same =
  (name: string): Make =>
  (column) =>
    column(name);
/** 1 where it is so; 0 where it is not, or nobody can tell. */
const isTrue =
  (name: string): Make =>
  (column) =>
    sql`(${column(name)} is true)::int`;
const isKnown =
  (name: string): Make =>
  (column) =>
    sql`(${column(name)} is not null)::int`;
const nextIs =
  (action: string): Make =>
  (column) =>
    sql`(${column("next_action")} = ${sql.lit(action)})::int`;
/** A double has no exact sum: rounded once to nine decimals, sums are the same in whatever order. */
const usage =
  (name: string): Make =>
  (column) =>
    sql`coalesce(round(${column(name)}::numeric, 9), 0)`;

const EPISODES: Readonly<Record<EpisodeCounter, Make>> = {
  episodes: () => sql`1`,
  repaired: isTrue("repaired"),
  first_repair: isTrue("first_repair"),
  eventual_repair: isTrue("eventual_repair"),
  late_repair: isTrue("late_repair"),
  unchanged_repeat: isTrue("unchanged_repeat"),
  unchanged_repeat_known: isKnown("unchanged_repeat"),
  unchanged_repeat_later: isTrue("unchanged_repeat_later"),
  unchanged_steps: same("unchanged_steps"),
  steps: same("steps"),
  targeted_change: isTrue("targeted_change"),
  targeted_change_known: isKnown("targeted_change"),
  first_attempt_unchanged: isTrue("first_attempt_unchanged"),
  first_attempt_unchanged_known: isKnown("first_attempt_unchanged"),
  next_repaired_next_turn: nextIs("repaired_next_turn"),
  next_repaired_later: nextIs("repaired_later"),
  next_repeated_unchanged: nextIs("repeated_unchanged"),
  next_changed_still_invalid: nextIs("changed_still_invalid"),
  next_not_known: nextIs("not_known"),
  next_changed_direction: nextIs("changed_direction"),
  next_gave_up: nextIs("gave_up"),
  linked_explicit: same("linked_explicit"),
  linked_operation: same("linked_operation"),
  linked_digest: same("linked_digest"),
  linked_order: same("linked_order"),
  shares: same("shares"),
  shares_with_input_tokens: same("shares_with_input_tokens"),
  shares_with_output_tokens: same("shares_with_output_tokens"),
  input_tokens_known: isKnown("attributed_input_tokens"),
  cached_input_tokens_known: isKnown("attributed_cached_input_tokens"),
  cache_write_tokens_known: isKnown("attributed_cache_write_tokens"),
  output_tokens_known: isKnown("attributed_output_tokens"),
  duration_ms_known: isKnown("attributed_duration_ms"),
  model_turns: usage("attributed_model_turns"),
  input_tokens: usage("attributed_input_tokens"),
  cached_input_tokens: usage("attributed_cached_input_tokens"),
  cache_write_tokens: usage("attributed_cache_write_tokens"),
  output_tokens: usage("attributed_output_tokens"),
  duration_ms: usage("attributed_duration_ms"),
};

/** Counters of episodes: columns of `episode_day` and `episode_hour`, in an order of their own; usage comes last. */
export const EPISODE_COUNTERS = Object.keys(EPISODES) as readonly EpisodeCounter[];

/** One counter of the episode that stands under `alias`, an integer or a `numeric`; never null. */
function episodeCounter(alias: string, counter: EpisodeCounter): RawBuilder<unknown> {
  return EPISODES[counter]((name) => sql.ref(`${alias}.${name}`));
}

/** Every counter of the episode that stands under `alias`, as columns of a select list in the order of `EPISODE_COUNTERS`. */
export function episodeContribution(alias: string, sign: Sign = 1): RawBuilder<unknown> {
  return columns(EPISODE_COUNTERS, sign, (counter) => episodeCounter(alias, counter));
}

/** Every counter of the row of `run_count` that stands under `alias`, in the order of `CALL_COUNTERS`. */
export function callContribution(alias: string, sign: Sign = 1): RawBuilder<unknown> {
  return columns(CALL_COUNTERS, sign, (counter) => sql.ref(`${alias}.${counter}`));
}

function columns<Name extends string>(
  names: readonly Name[],
  sign: Sign,
  of: (name: Name) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql`${sign === 1 ? of(name) : sql`-${of(name)}`} as ${sql.ref(name)}`));
}
