/** Rows for tests of questions: each call of a builder says only what the test is about. */
import type { Kysely } from "kysely";
import type { CohortValues } from "../../analytics/episodes/linker-cohorts.ts";
import { ensurePartitions } from "../../database/partitions.ts";
import type { Database, NewCallRow, NewEpisodeRow, NewRunCountRow, NewRunRow } from "../../database/schema.ts";
import { chunks, insertRollups, withCohorts, withPlaces } from "./rollups.ts";

export const PROJECT = 1;
/** The moment at which tests ask. */
export const NOW = new Date("2026-03-10T12:00:00.000Z");
export const clock = (): Date => NOW;

/** A moment so many minutes before `NOW`. */
export function minutesAgo(minutes: number): Date {
  return new Date(NOW.getTime() - minutes * 60_000);
}

export function runRow(given: Partial<NewRunRow> & { readonly run_id: string }): NewRunRow {
  const started = (given.started_at as Date | undefined) ?? minutesAgo(60);
  return {
    project_id: PROJECT,
    run_key: null,
    source: "otlp",
    time_source: "span",
    agent_name: null,
    agent_version: null,
    conversation_id: null,
    environment: null,
    service_name: null,
    parent_run_id: null,
    parent_call_id: null,
    model: null,
    outcome: "completed",
    budget: null,
    ended: true,
    legs: 1,
    turns: 1,
    text_only_turns: 0,
    calls: 1,
    left_out_calls: 0,
    started_at: started,
    ended_at: started,
    first_received_at: started,
    last_received_at: started,
    ...given,
  };
}

const NO_COHORT: Omit<CohortValues, "tool" | "timed"> = {
  tool_source: null,
  schema_version: null,
  template_version: null,
  fingerprint: null,
  failure_class: null,
  rung: null,
  retryability: null,
  model: null,
  agent_name: null,
  environment: null,
  risk: "read",
  external: null,
  flags: {},
};

type Cohort = Omit<CohortValues, "timed">;
/** A row with its cohort's values in it; `fill` writes the dictionary, and derives where the run's first calls stand. */
export type WideCount = Omit<NewRunCountRow, "cohort_id"> & Cohort;
export type WideEpisode = Omit<NewEpisodeRow, "cohort_id"> & Cohort;

export function countRow(given: Partial<WideCount> & { readonly run_id: string }): WideCount {
  const minute = (given.minute as Date | undefined) ?? minutesAgo(60);
  const row = {
    project_id: PROJECT,
    minute,
    first_call_at: minute,
    tool: "search",
    ...NO_COHORT,
    first_accepted: 0,
    first_rejected: 0,
    repair_accepted: 0,
    repair_rejected: 0,
    repair_unknown: 0,
    unpaired_unknown: 0,
    not_validated: 0,
    corrected: 0,
    against_schema: 0,
    inferred_turns: 0,
    ...{ runs: 0, runs_ended: 0, runs_known: 0, runs_completed: 0 },
    ...{ tool_runs: 0, tool_runs_ended: 0, tool_runs_known: 0, tool_runs_completed: 0 },
    ...given,
  };
  const calls =
    row.first_accepted +
    row.first_rejected +
    row.repair_accepted +
    row.repair_rejected +
    row.repair_unknown +
    row.unpaired_unknown;
  return { calls, results: calls, ...row };
}

/** Settled episodes are in the rollups, unless `rolled` is given as false: as if the settling step had not come yet. */
export function episodeRow(given: Partial<WideEpisode> & { readonly run_id: string }): WideEpisode {
  const settles_at = given.settles_at ?? minutesAgo(1);
  return {
    project_id: PROJECT,
    kind: "repair",
    turn: 0,
    ordinal: 0,
    opened_at: minutesAgo(60),
    tool: "search",
    ...NO_COHORT,
    failure_class: "schema",
    attempts: 0,
    repaired: false,
    decided: true,
    settles_at,
    repair_turns: null,
    first_repair: false,
    eventual_repair: false,
    late_repair: false,
    unchanged_repeat: false,
    unchanged_repeat_later: false,
    first_attempt_unchanged: false,
    unchanged_steps: 0,
    steps: 0,
    targeted_change: null,
    next_action: "gave_up",
    next_tool: null,
    funnel_row: "unresolved_completed",
    terminal_outcome: "completed",
    extra_model_turns: 0,
    attributed_model_turns: 0,
    attributed_input_tokens: null,
    attributed_cached_input_tokens: null,
    attributed_cache_write_tokens: null,
    attributed_output_tokens: null,
    attributed_duration_ms: null,
    shares: 0,
    shares_with_input_tokens: 0,
    shares_with_output_tokens: 0,
    ...{ linked_explicit: 0, linked_operation: 0, linked_digest: 0, linked_order: 0 },
    waiting: false,
    rolled: settles_at === "-infinity" || (settles_at instanceof Date && settles_at <= NOW),
    ...given,
  };
}

/** Fields of an episode that was repaired on the next turn. */
export const REPAIRED_NEXT_TURN = {
  attempts: 1,
  repaired: true,
  repair_turns: 1,
  first_repair: true,
  eventual_repair: true,
  next_action: "repaired_next_turn",
  funnel_row: "repaired_turn_1",
  extra_model_turns: 1,
  attributed_model_turns: 1,
  steps: 1,
  shares: 1,
} as const satisfies Partial<NewEpisodeRow>;

/**
 * Replaces what the database holds, rollups and all. Runs that rows name and the list does not are added as completed
 * runs.
 */
export async function fill(
  db: Kysely<Database>,
  rows: {
    readonly runs?: readonly NewRunRow[];
    readonly counts?: readonly WideCount[];
    readonly episodes?: readonly WideEpisode[];
    readonly waiting?: readonly string[];
  },
): Promise<void> {
  for (const table of [
    "run",
    "run_count",
    "episode",
    "cohort",
    "call_day",
    "call_hour",
    "episode_day",
    "episode_hour",
    "attempt",
    "dirty_run",
    "unassembled",
    "import_file",
    "turn",
    "call",
  ] as const) {
    await db.deleteFrom(table).execute();
  }
  const given = new Set(rows.runs?.map(({ run_id }) => run_id));
  const named = [...(rows.counts ?? []), ...(rows.episodes ?? [])].map(({ run_id }) => run_id);
  const added = [...new Set(named)].filter((id) => !given.has(id)).map((run_id) => runRow({ run_id }));
  const runs = [...(rows.runs ?? []), ...added];
  if (runs.length > 0) await db.insertInto("run").values(runs).execute();
  const counts = await withCohorts(db, withPlaces(rows.counts ?? [], runs), runs);
  const episodes = await withCohorts(db, rows.episodes ?? [], runs);
  for (const count of chunks(counts)) await db.insertInto("run_count").values(count).execute();
  for (const episode of chunks(episodes)) await db.insertInto("episode").values(episode).execute();
  await insertRollups(db);
  for (const run_id of rows.waiting ?? []) {
    await db.insertInto("dirty_run").values({ project_id: PROJECT, run_id, marked_at: NOW }).execute();
  }
}

export function callRow(given: Partial<NewCallRow> & { readonly run_id: string; readonly turn: number }): NewCallRow {
  return {
    project_id: PROJECT,
    trace_id: Buffer.alloc(16, given.turn + 1),
    span_id: Buffer.alloc(8, given.turn + 1),
    start_time: minutesAgo(60),
    end_time: minutesAgo(60),
    received_at: minutesAgo(60),
    leg: 0,
    ordinal: 0,
    turn_source: "exact",
    tool: "search",
    link_tool: "search",
    origin: "model",
    verdict: "accepted",
    has_result: true,
    execution_attempts: 1,
    risk: "read",
    cohort: "{}",
    ...given,
  };
}

export async function insertCalls(db: Kysely<Database>, calls: readonly NewCallRow[]): Promise<void> {
  await ensurePartitions(db, "call", [minutesAgo(60)]);
  await db.insertInto("call").values(calls).execute();
}
