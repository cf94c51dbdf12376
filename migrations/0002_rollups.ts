import { type Kysely, sql } from "kysely";

/** Counters of calls: the same in what one run contributes and in what a day or an hour sums up. */
const CALL_COUNTERS = [
  "calls",
  "results",
  "first_accepted",
  "first_rejected",
  "repair_accepted",
  "repair_rejected",
  "repair_unknown",
  "unpaired_unknown",
  "not_validated",
  "corrected",
  "against_schema",
  "inferred_turns",
  "runs",
  "runs_ended",
  "runs_known",
  "runs_completed",
  "tool_runs",
  "tool_runs_ended",
  "tool_runs_known",
  "tool_runs_completed",
];

/** Counters of settled episodes. */
const EPISODE_COUNTERS = [
  "episodes",
  "repaired",
  "first_repair",
  "eventual_repair",
  "late_repair",
  "unchanged_repeat",
  "unchanged_repeat_known",
  "unchanged_repeat_later",
  "unchanged_steps",
  "steps",
  "targeted_change",
  "targeted_change_known",
  "first_attempt_unchanged",
  "first_attempt_unchanged_known",
  "next_repaired_next_turn",
  "next_repaired_later",
  "next_repeated_unchanged",
  "next_changed_still_invalid",
  "next_not_known",
  "next_changed_direction",
  "next_gave_up",
  "linked_explicit",
  "linked_operation",
  "linked_digest",
  "linked_order",
  "shares",
  "shares_with_input_tokens",
  "shares_with_output_tokens",
  "input_tokens_known",
  "cached_input_tokens_known",
  "cache_write_tokens_known",
  "output_tokens_known",
  "duration_ms_known",
];

/** Usage handed out to episodes, summed exactly: nine decimals each. */
const USAGE = [
  "model_turns",
  "input_tokens",
  "cached_input_tokens",
  "cache_write_tokens",
  "output_tokens",
  "duration_ms",
];

/**
 * Daily and hourly rollups of calls and of settled episodes, with one dictionary of cohorts. What was linked before is
 * linked anew: its contributions were not kept in this form.
 *
 * @public called by kysely's migrator
 */
// biome-ignore lint/suspicious/noExplicitAny: a frozen migration knows no table types (kysely's own advice)
export async function up(db: Kysely<any>): Promise<void> {
  await sql`
    -- one row per combination of a tool with everything that a question can filter and group by
    create table cohort (
      project_id integer not null,
      cohort_id uuid not null,
      tool text not null,
      tool_source text,
      schema_version text,
      template_version text,
      model text,
      agent_name text,
      environment text,
      risk text not null,
      external boolean,
      fingerprint text,
      failure_class text,
      rung smallint,
      retryability text,
      timed boolean not null,
      flags jsonb not null,
      primary key (project_id, cohort_id)
    )
  `.execute(db);

  await sql`drop table run_count`.execute(db);
  await sql`
    -- one row per linked run, minute and cohort: what its calls contribute to the rollups
    create table run_count (
      project_id integer not null,
      run_id text not null,
      minute timestamptz not null,
      first_call_at timestamptz not null,
      cohort_id uuid not null,
      ${columns(CALL_COUNTERS, "integer")}
    )
  `.execute(db);
  await sql`create index run_count_run on run_count (project_id, run_id)`.execute(db);
  await sql`create index run_count_time on run_count (project_id, minute)`.execute(db);
  // Lists of runs look for first calls alone: of ten rows of an interval, one.
  await sql`create index run_count_first on run_count (project_id, minute) where runs > 0`.execute(db);

  await sql`delete from attempt`.execute(db);
  await sql`delete from episode`.execute(db);
  await sql`
    alter table episode
      drop column tool, drop column tool_source, drop column schema_version, drop column template_version,
      drop column fingerprint, drop column failure_class, drop column rung, drop column retryability, drop column model,
      drop column agent_name, drop column environment, drop column risk, drop column external,
      add column cohort_id uuid not null,
      add column linked_explicit integer not null,
      add column linked_operation integer not null,
      add column linked_digest integer not null,
      add column linked_order integer not null,
      add column rolled boolean not null,
      add column waiting boolean not null
  `.execute(db);
  await sql`create index episode_unrolled on episode (project_id, opened_at) where not rolled`.execute(db);
  await sql`create index episode_settling on episode (project_id, settles_at) where not rolled`.execute(db);

  for (const bucket of ["day", "hour"]) {
    await sql`
      -- one row per ${sql.raw(bucket)} in UTC and cohort: the sums of run_count
      create table ${sql.table(`call_${bucket}`)} (
        project_id integer not null,
        bucket timestamptz not null,
        cohort_id uuid not null,
        ${columns(CALL_COUNTERS, "bigint")},
        primary key (project_id, bucket, cohort_id)
      )
    `.execute(db);
    await sql`
      -- one row per ${sql.raw(bucket)} in UTC, cohort, kind, funnel row, outcome and number of extra turns: settled episodes
      create table ${sql.table(`episode_${bucket}`)} (
        project_id integer not null,
        bucket timestamptz not null,
        cohort_id uuid not null,
        kind text not null,
        funnel_row text not null,
        terminal_outcome text not null,
        extra_model_turns integer not null,
        ${columns(EPISODE_COUNTERS, "bigint")},
        ${columns(USAGE, "numeric(38, 9)")},
        primary key (project_id, bucket, cohort_id, kind, funnel_row, terminal_outcome, extra_model_turns)
      )
    `.execute(db);
  }

  await sql`
    insert into dirty_run (project_id, run_id, marked_at)
    -- one row per run
    select project_id, run_id, last_received_at from run
    on conflict (project_id, run_id) do nothing
  `.execute(db);
}

function columns(names: readonly string[], type: string) {
  return sql.raw(names.map((name) => `${name} ${type} not null`).join(",\n        "));
}
