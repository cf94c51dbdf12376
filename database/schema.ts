/** Table types: what the migrations add up to. Bytes are Buffers, bigint columns arrive as text from pg. */
import type { ColumnType, Insertable, JSONColumnType, Selectable } from "kysely";

/** 64-bit integers: pg returns text, which keeps them exact. */
type BigIntColumn = ColumnType<string, string | number | bigint, string | number | bigint>;
/** Times with `-infinity`: pg returns a number for it. */
type TimeOrInfinity = ColumnType<Date | number, Date | string, Date | string>;

/** Grain: one row per project, with the settings that its answers state. */
export interface ProjectTable {
  project_id: number;
  name: string;
  link_window: number;
  eventual_window: number;
  settle_after_seconds: number;
  turn_basis: "model" | "tool_calling";
}

/** Grain: one row per span, or per line of a file, reduced to what is measured. */
export interface ObservationTable {
  project_id: number;
  trace_id: Buffer;
  span_id: Buffer;
  parent_span_id: Buffer | null;
  start_time: Date;
  start_ns: BigIntColumn;
  end_ns: BigIntColumn;
  received_at: Date;
  source: string;
  run_id: string | null;
  record: JSONColumnType<object>;
}

/** Grain: one row per run id or trace whose observations wait to be assembled into calls. */
export interface UnassembledTable {
  project_id: number;
  unit: string;
  marked_at: Date;
}

/** Grain: one row per run. */
export interface RunTable {
  project_id: number;
  run_id: string;
  run_key: string | null;
  source: string;
  time_source: "span" | "file" | "import";
  agent_name: string | null;
  agent_version: string | null;
  conversation_id: string | null;
  environment: string | null;
  service_name: string | null;
  parent_run_id: string | null;
  parent_call_id: string | null;
  model: string | null;
  outcome: string | null;
  budget: string | null;
  ended: boolean;
  legs: number;
  turns: number;
  text_only_turns: number;
  calls: number;
  left_out_calls: number;
  started_at: Date;
  ended_at: Date;
  first_received_at: Date;
  last_received_at: Date;
}

/** Grain: one row per model turn. */
export interface TurnTable {
  project_id: number;
  run_id: string;
  turn: number;
  leg: number;
  turn_source: "exact" | "inferred";
  model: string | null;
  provider: string | null;
  input_tokens: ColumnType<string | null, string | number | bigint | null, string | number | bigint | null>;
  cached_input_tokens: ColumnType<string | null, string | number | bigint | null, string | number | bigint | null>;
  cache_write_tokens: ColumnType<string | null, string | number | bigint | null, string | number | bigint | null>;
  output_tokens: ColumnType<string | null, string | number | bigint | null, string | number | bigint | null>;
  duration_ms: number | null;
  tools_offered: number | null;
  tool_definition_tokens: number | null;
  start_time: Date;
}

/** Grain: one row per tool call; (turn, ordinal) is a position that is recomputed with the run. */
export interface CallTable {
  project_id: number;
  trace_id: Buffer;
  span_id: Buffer;
  start_time: Date;
  end_time: Date;
  received_at: Date;
  duration_ms: number | null;
  run_id: string;
  leg: number;
  turn: number;
  ordinal: number;
  turn_source: "exact" | "inferred";
  sequence: number | null;
  call_id: string | null;
  tool: string;
  tool_source: string | null;
  link_tool: string;
  requested: string | null;
  nearest: string | null;
  key_id: string | null;
  signature: string | null;
  argument_digests: string[] | null;
  parsed_source: boolean | null;
  repair_of: string | null;
  link_source: string | null;
  operation_id: string | null;
  origin: string;
  validated: boolean | null;
  corrected: boolean | null;
  undeclared_arguments: number | null;
  verdict: "accepted" | "rejected" | "unknown";
  schema_verdict: string | null;
  failure_class: string | null;
  has_result: boolean;
  execution_attempts: number;
  fingerprint: string | null;
  fingerprints: string[] | null;
  fingerprint_version: string | null;
  retryability: string | null;
  rung: number | null;
  properties: string[] | null;
  text_id: string | null;
  text_source: string | null;
  rule: string | null;
  delivered: boolean | null;
  template_version: string | null;
  schema_version: string | null;
  risk: string;
  external: boolean | null;
  strict: boolean | null;
  deferred: boolean | null;
  runs_on: string | null;
  definition_tokens: number | null;
  result_state: string | null;
  result_evidence: boolean | null;
  continuation_id: string | null;
  result_bytes: ColumnType<string | null, string | number | bigint | null, string | number | bigint | null>;
  result_truncated: boolean | null;
  result_empty: boolean | null;
  model: string | null;
  agent_name: string | null;
  environment: string | null;
  cohort: JSONColumnType<object>;
}

/** Grain: one row per run whose calls changed since it was linked. */
export interface DirtyRunTable {
  project_id: number;
  run_id: string;
  marked_at: Date;
}

/** Grain: one row per episode; it belongs to the time, tool and cohort of its opening call. */
export interface EpisodeTable {
  project_id: number;
  run_id: string;
  kind: "repair" | "recovery" | "denial";
  turn: number;
  ordinal: number;
  opened_at: Date;
  cohort_id: string;
  attempts: number;
  repaired: boolean;
  decided: boolean;
  settles_at: TimeOrInfinity;
  repair_turns: number | null;
  first_repair: boolean;
  eventual_repair: boolean;
  late_repair: boolean;
  unchanged_repeat: boolean | null;
  unchanged_repeat_later: boolean | null;
  first_attempt_unchanged: boolean | null;
  unchanged_steps: number;
  steps: number;
  targeted_change: boolean | null;
  next_action: string;
  next_tool: string | null;
  funnel_row: string;
  terminal_outcome: string;
  extra_model_turns: number;
  attributed_model_turns: number;
  attributed_input_tokens: number | null;
  attributed_cached_input_tokens: number | null;
  attributed_cache_write_tokens: number | null;
  attributed_output_tokens: number | null;
  attributed_duration_ms: number | null;
  shares: number;
  shares_with_input_tokens: number;
  shares_with_output_tokens: number;
  /** Repair links of the episode, by their evidence. */
  linked_explicit: number;
  linked_operation: number;
  linked_digest: number;
  linked_order: number;
  /** Whether the rollups hold it: from the moment that it is seen to have settled. */
  rolled: boolean;
  /** Whether its run had not ended and waited for a continuation when it was linked; when that changes it is linked anew. */
  waiting: boolean;
}

/** Grain: one row per repair link: an attempt of an episode, the opening call not repeated. */
export interface AttemptTable {
  project_id: number;
  run_id: string;
  kind: string;
  opening_turn: number;
  opening_ordinal: number;
  attempt: number;
  turn: number;
  ordinal: number;
  evidence: "explicit" | "operation" | "digest" | "order";
}

/** Grain: one row per combination of a tool with everything that a question can filter and group by. */
export interface CohortTable {
  project_id: number;
  /** Made from the values: the same combination has the same id in every process. */
  cohort_id: string;
  tool: string;
  tool_source: string | null;
  schema_version: string | null;
  template_version: string | null;
  model: string | null;
  agent_name: string | null;
  environment: string | null;
  risk: string;
  external: boolean | null;
  fingerprint: string | null;
  failure_class: string | null;
  rung: number | null;
  retryability: string | null;
  /** False for runs from files without times: they stand at the moment of their import. */
  timed: boolean;
  /** Declared cohort keys. */
  flags: JSONColumnType<Record<string, string>>;
}

/** Counters of calls; `runs*` stand where a run's first call does, `tool_runs*` where its first call to the tool does. */
export interface CallCounters<Count> {
  calls: Count;
  results: Count;
  first_accepted: Count;
  first_rejected: Count;
  repair_accepted: Count;
  repair_rejected: Count;
  repair_unknown: Count;
  unpaired_unknown: Count;
  not_validated: Count;
  corrected: Count;
  against_schema: Count;
  inferred_turns: Count;
  runs: Count;
  runs_ended: Count;
  runs_known: Count;
  runs_completed: Count;
  tool_runs: Count;
  tool_runs_ended: Count;
  tool_runs_known: Count;
  tool_runs_completed: Count;
}

/** Grain: one row per linked run, minute and cohort: what its calls contribute to the rollups. */
export interface RunCountTable extends CallCounters<number> {
  project_id: number;
  run_id: string;
  minute: Date;
  first_call_at: Date;
  cohort_id: string;
}

/** Grain: one row per day or hour in UTC and cohort. 64-bit sums arrive as text. */
export interface CallRollupTable extends CallCounters<string> {
  project_id: number;
  bucket: Date;
  cohort_id: string;
}

/** Counters of settled episodes. A usage that no turn stated is not among the `*_known`. */
export interface EpisodeCounters<Count> {
  episodes: Count;
  repaired: Count;
  first_repair: Count;
  eventual_repair: Count;
  late_repair: Count;
  unchanged_repeat: Count;
  unchanged_repeat_known: Count;
  unchanged_repeat_later: Count;
  unchanged_steps: Count;
  steps: Count;
  targeted_change: Count;
  targeted_change_known: Count;
  first_attempt_unchanged: Count;
  first_attempt_unchanged_known: Count;
  next_repaired_next_turn: Count;
  next_repaired_later: Count;
  next_repeated_unchanged: Count;
  next_changed_still_invalid: Count;
  next_not_known: Count;
  next_changed_direction: Count;
  next_gave_up: Count;
  linked_explicit: Count;
  linked_operation: Count;
  linked_digest: Count;
  linked_order: Count;
  shares: Count;
  shares_with_input_tokens: Count;
  shares_with_output_tokens: Count;
  input_tokens_known: Count;
  cached_input_tokens_known: Count;
  cache_write_tokens_known: Count;
  output_tokens_known: Count;
  duration_ms_known: Count;
  /** Attributed usage, to nine decimals each episode. */
  model_turns: Count;
  input_tokens: Count;
  cached_input_tokens: Count;
  cache_write_tokens: Count;
  output_tokens: Count;
  duration_ms: Count;
}

/** Grain: one row per day or hour in UTC, cohort, kind, funnel row, outcome and number of extra turns: settled episodes. */
export interface EpisodeRollupTable extends EpisodeCounters<string> {
  project_id: number;
  bucket: Date;
  cohort_id: string;
  kind: string;
  funnel_row: string;
  terminal_outcome: string;
  extra_model_turns: number;
}

/** Grain: one row per imported file and source, with what the importer read, left out and could not know. */
export interface ImportFileTable {
  project_id: number;
  source: string;
  sha256: string;
  name: string;
  format: string;
  rules: string | null;
  imported_at: Date;
  accounting: JSONColumnType<object>;
}

export interface Database {
  project: ProjectTable;
  observation: ObservationTable;
  unassembled: UnassembledTable;
  run: RunTable;
  turn: TurnTable;
  call: CallTable;
  dirty_run: DirtyRunTable;
  episode: EpisodeTable;
  attempt: AttemptTable;
  cohort: CohortTable;
  run_count: RunCountTable;
  call_day: CallRollupTable;
  call_hour: CallRollupTable;
  episode_day: EpisodeRollupTable;
  episode_hour: EpisodeRollupTable;
  import_file: ImportFileTable;
}

export type RunRow = Selectable<RunTable>;
export type NewRunRow = Insertable<RunTable>;
export type TurnRow = Selectable<TurnTable>;
export type CallRow = Selectable<CallTable>;
export type NewCallRow = Insertable<CallTable>;
export type EpisodeRow = Selectable<EpisodeTable>;
export type NewEpisodeRow = Insertable<EpisodeTable>;
export type AttemptRow = Selectable<AttemptTable>;
export type NewAttemptRow = Insertable<AttemptTable>;
export type CohortRow = Selectable<CohortTable>;
export type RunCountRow = Selectable<RunCountTable>;
export type NewRunCountRow = Insertable<RunCountTable>;
