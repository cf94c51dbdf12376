import { type Kysely, sql } from "kysely";

/**
 * Observations as they came, the runs, turns and calls assembled from them, and what linking says of the runs.
 * Tables that grow with traffic are partitioned by week on their start time; `database/partitions.ts` makes the weeks.
 *
 * @public called by kysely's migrator
 */
// biome-ignore lint/suspicious/noExplicitAny: a frozen migration knows no table types (kysely's own advice)
export async function up(db: Kysely<any>): Promise<void> {
  await sql`
    -- one row per project, with the settings that its answers state
    create table project (
      project_id integer primary key,
      name text not null unique,
      link_window integer not null default 2 check (link_window >= 1),
      eventual_window integer not null default 2 check (eventual_window between 1 and link_window),
      settle_after_seconds integer not null default 3600 check (settle_after_seconds >= 0),
      turn_basis text not null default 'model' check (turn_basis in ('model', 'tool_calling'))
    )
  `.execute(db);
  await sql`insert into project (project_id, name) values (1, 'default')`.execute(db);

  await sql`
    -- one row per span, or per line of a file, reduced to what is measured
    create table observation (
      project_id integer not null,
      trace_id bytea not null,
      span_id bytea not null,
      parent_span_id bytea,
      start_time timestamptz not null,
      start_ns bigint not null,
      end_ns bigint not null,
      received_at timestamptz not null,
      source text not null,
      run_id text,
      record jsonb not null,
      primary key (project_id, trace_id, span_id, start_time)
    ) partition by range (start_time)
  `.execute(db);
  await sql`create index observation_run on observation (project_id, run_id) where run_id is not null`.execute(db);
  await sql`create index observation_time on observation using brin (start_time)`.execute(db);

  await sql`
    -- one row per run id or trace whose observations wait to be assembled into calls
    create table unassembled (
      project_id integer not null,
      unit text not null,
      marked_at timestamptz not null,
      primary key (project_id, unit)
    )
  `.execute(db);

  await sql`
    -- one row per run
    create table run (
      project_id integer not null,
      run_id text not null,
      run_key text,
      source text not null,
      time_source text not null check (time_source in ('span', 'file', 'import')),
      agent_name text,
      agent_version text,
      conversation_id text,
      environment text,
      service_name text,
      parent_run_id text,
      parent_call_id text,
      model text,
      outcome text,
      budget text,
      ended boolean not null,
      legs integer not null,
      turns integer not null,
      text_only_turns integer not null,
      calls integer not null,
      left_out_calls integer not null,
      started_at timestamptz not null,
      ended_at timestamptz not null,
      first_received_at timestamptz not null,
      last_received_at timestamptz not null,
      primary key (project_id, run_id)
    )
  `.execute(db);
  await sql`create index run_time on run (project_id, started_at)`.execute(db);

  await sql`
    -- one row per model turn
    create table turn (
      project_id integer not null,
      run_id text not null,
      turn integer not null,
      leg integer not null,
      turn_source text not null check (turn_source in ('exact', 'inferred')),
      model text,
      provider text,
      input_tokens bigint,
      cached_input_tokens bigint,
      cache_write_tokens bigint,
      output_tokens bigint,
      duration_ms double precision,
      tools_offered integer,
      tool_definition_tokens integer,
      start_time timestamptz not null,
      primary key (project_id, run_id, turn, start_time)
    ) partition by range (start_time)
  `.execute(db);
  await sql`create index turn_time on turn using brin (start_time)`.execute(db);

  await sql`
    -- one row per tool call; (turn, ordinal) is a position that is recomputed with the run
    create table call (
      project_id integer not null,
      trace_id bytea not null,
      span_id bytea not null,
      start_time timestamptz not null,
      end_time timestamptz not null,
      received_at timestamptz not null,
      duration_ms double precision,
      run_id text not null,
      leg integer not null,
      turn integer not null,
      ordinal integer not null,
      turn_source text not null check (turn_source in ('exact', 'inferred')),
      sequence integer,
      call_id text,
      tool text not null,
      tool_source text,
      link_tool text not null,
      requested text,
      nearest text,
      key_id text,
      signature text,
      argument_digests text[],
      parsed_source boolean,
      repair_of text,
      link_source text,
      operation_id text,
      origin text not null,
      validated boolean,
      corrected boolean,
      undeclared_arguments integer,
      verdict text not null check (verdict in ('accepted', 'rejected', 'unknown')),
      schema_verdict text,
      failure_class text,
      has_result boolean not null,
      execution_attempts integer not null,
      fingerprint text,
      fingerprints text[],
      fingerprint_version text,
      retryability text,
      rung smallint,
      properties text[],
      text_id text,
      text_source text,
      rule text,
      delivered boolean,
      template_version text,
      schema_version text,
      risk text not null,
      external boolean,
      strict boolean,
      deferred boolean,
      runs_on text,
      definition_tokens integer,
      result_state text,
      result_evidence boolean,
      continuation_id text,
      result_bytes bigint,
      result_truncated boolean,
      result_empty boolean,
      model text,
      agent_name text,
      environment text,
      cohort jsonb not null,
      primary key (project_id, trace_id, span_id, start_time)
    ) partition by range (start_time)
  `.execute(db);
  await sql`create index call_run on call (project_id, run_id)`.execute(db);
  await sql`create index call_time on call using brin (start_time)`.execute(db);
  await sql`
    create index call_continuation on call (project_id, continuation_id) where continuation_id is not null
  `.execute(db);
  await sql`create index call_failed on call (project_id, start_time) where failure_class is not null`.execute(db);

  await sql`
    -- one row per run whose calls changed since it was linked
    create table dirty_run (
      project_id integer not null,
      run_id text not null,
      marked_at timestamptz not null,
      primary key (project_id, run_id)
    )
  `.execute(db);

  await sql`
    -- one row per episode; it belongs to the time, tool and cohort of its opening call
    create table episode (
      project_id integer not null,
      run_id text not null,
      kind text not null check (kind in ('repair', 'recovery', 'denial')),
      turn integer not null,
      ordinal integer not null,
      opened_at timestamptz not null,
      tool text not null,
      tool_source text,
      schema_version text,
      template_version text,
      fingerprint text,
      failure_class text not null,
      rung smallint,
      retryability text,
      model text,
      agent_name text,
      environment text,
      risk text not null,
      external boolean,
      attempts integer not null,
      repaired boolean not null,
      decided boolean not null,
      settles_at timestamptz not null,
      repair_turns integer,
      first_repair boolean not null,
      eventual_repair boolean not null,
      late_repair boolean not null,
      unchanged_repeat boolean,
      unchanged_repeat_later boolean,
      first_attempt_unchanged boolean,
      unchanged_steps integer not null,
      steps integer not null,
      targeted_change boolean,
      next_action text not null,
      next_tool text,
      funnel_row text not null,
      terminal_outcome text not null,
      extra_model_turns integer not null,
      attributed_model_turns double precision not null,
      attributed_input_tokens double precision,
      attributed_cached_input_tokens double precision,
      attributed_cache_write_tokens double precision,
      attributed_output_tokens double precision,
      attributed_duration_ms double precision,
      shares integer not null,
      shares_with_input_tokens integer not null,
      shares_with_output_tokens integer not null,
      primary key (project_id, run_id, kind, turn, ordinal)
    )
  `.execute(db);
  await sql`create index episode_time on episode (project_id, opened_at)`.execute(db);

  await sql`
    -- one row per repair link: an attempt of an episode, the opening call not repeated
    create table attempt (
      project_id integer not null,
      run_id text not null,
      kind text not null,
      opening_turn integer not null,
      opening_ordinal integer not null,
      attempt integer not null check (attempt >= 1),
      turn integer not null,
      ordinal integer not null,
      evidence text not null check (evidence in ('explicit', 'operation', 'digest', 'order')),
      primary key (project_id, run_id, kind, opening_turn, opening_ordinal, attempt)
    )
  `.execute(db);

  await sql`
    -- one row per linked run, minute, tool and cohort: how its calls count
    create table run_count (
      project_id integer not null,
      run_id text not null,
      minute timestamptz not null,
      first_call_at timestamptz not null,
      tool text not null,
      tool_source text,
      schema_version text,
      template_version text,
      fingerprint text,
      failure_class text,
      rung smallint,
      retryability text,
      model text,
      agent_name text,
      environment text,
      risk text not null,
      external boolean,
      calls integer not null,
      results integer not null,
      first_accepted integer not null,
      first_rejected integer not null,
      repair_accepted integer not null,
      repair_rejected integer not null,
      repair_unknown integer not null,
      unpaired_unknown integer not null,
      not_validated integer not null,
      corrected integer not null,
      against_schema integer not null,
      inferred_turns integer not null
    )
  `.execute(db);
  await sql`create index run_count_run on run_count (project_id, run_id)`.execute(db);
  await sql`create index run_count_time on run_count (project_id, minute)`.execute(db);

  await sql`
    -- one row per imported file and source, with what the importer read, left out and could not know
    create table import_file (
      project_id integer not null,
      source text not null,
      sha256 text not null,
      name text not null,
      format text not null,
      rules text,
      imported_at timestamptz not null,
      accounting jsonb not null,
      primary key (project_id, source, sha256)
    )
  `.execute(db);
}
