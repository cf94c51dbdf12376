/** What assembling reads and makes. Types only; rows are close to the tables that hold them. */
import type { CallRecord, NeutralRecord, Observation, RunRecord, TurnRecord } from "../records.ts";

/** An observation with the time of its first arrival, in milliseconds since 1970. */
export interface ReceivedObservation extends Observation {
  readonly received_at: number;
}

export interface Said<R extends NeutralRecord> extends ReceivedObservation {
  readonly record: R;
}
export type SaidOfRun = Said<RunRecord>;
export type SaidOfTurn = Said<TurnRecord>;
export type SaidOfCall = Said<CallRecord>;

/** Times in milliseconds since 1970: observations keep the exact ones. `null` is "not known". */
export interface AssembledRun {
  readonly run_id: string;
  readonly run_key: string | null;
  readonly source: string;
  readonly time_source: "span" | "file" | "import";
  readonly agent_name: string | null;
  readonly agent_version: string | null;
  readonly conversation_id: string | null;
  readonly environment: string | null;
  readonly service_name: string | null;
  readonly parent_run_id: string | null;
  readonly parent_call_id: string | null;
  readonly model: string | null;
  readonly outcome: string | null;
  readonly budget: string | null;
  readonly ended: boolean;
  readonly legs: number;
  readonly text_only_turns: number;
  /** Calls that the model proposed. */
  readonly proposed_calls: number;
  readonly left_out_calls: number;
  readonly started_at: number;
  readonly ended_at: number;
  readonly first_received_at: number;
  readonly last_received_at: number;
  /** From 0, without gaps. */
  readonly turns: readonly AssembledTurn[];
  /** By turn, then ordinal. */
  readonly calls: readonly AssembledCall[];
}

export interface AssembledTurn {
  readonly turn: number;
  readonly leg: number;
  readonly turn_source: "exact" | "inferred";
  readonly model: string | null;
  readonly provider: string | null;
  readonly input_tokens: number | null;
  readonly cached_input_tokens: number | null;
  readonly cache_write_tokens: number | null;
  readonly output_tokens: number | null;
  readonly duration_ms: number | null;
  readonly tools_offered: number | null;
  readonly tool_definition_tokens: number | null;
  readonly start_time: number;
}

/** What a declared cohort key, a feature flag and an assignment said of a call; absent parts are left out. */
export interface CallCohort {
  readonly keys?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, string>>;
  readonly assignment?: readonly string[];
}

export interface AssembledCall {
  readonly trace_id: string;
  readonly span_id: string;
  readonly start_time: number;
  readonly end_time: number;
  readonly received_at: number;
  readonly duration_ms: number | null;
  readonly leg: number;
  readonly turn: number;
  readonly ordinal: number;
  readonly turn_source: "exact" | "inferred";
  readonly sequence: number | null;
  readonly call_id: string | null;
  readonly tool: string;
  readonly tool_source: string | null;
  readonly link_tool: string;
  readonly requested: string | null;
  readonly nearest: string | null;
  readonly key_id: string | null;
  readonly signature: string | null;
  readonly argument_digests: readonly string[] | null;
  readonly parsed_source: boolean | null;
  readonly repair_of: string | null;
  readonly link_source: string | null;
  readonly operation_id: string | null;
  readonly origin: string;
  readonly validated: boolean | null;
  readonly corrected: boolean | null;
  readonly undeclared_arguments: number | null;
  readonly verdict: "accepted" | "rejected" | "unknown";
  readonly schema_verdict: string | null;
  readonly failure_class: string | null;
  readonly has_result: boolean;
  readonly execution_attempts: number;
  readonly fingerprint: string | null;
  readonly fingerprints: readonly string[] | null;
  readonly fingerprint_version: string | null;
  readonly retryability: string | null;
  readonly rung: number | null;
  readonly properties: readonly string[] | null;
  readonly text_id: string | null;
  readonly text_source: string | null;
  readonly rule: string | null;
  readonly delivered: boolean | null;
  readonly template_version: string | null;
  readonly schema_version: string | null;
  readonly risk: string;
  readonly external: boolean | null;
  readonly strict: boolean | null;
  readonly deferred: boolean | null;
  readonly runs_on: string | null;
  readonly definition_tokens: number | null;
  readonly result_state: string | null;
  readonly result_evidence: boolean | null;
  readonly continuation_id: string | null;
  readonly result_bytes: number | null;
  readonly result_truncated: boolean | null;
  readonly result_empty: boolean | null;
  readonly model: string | null;
  readonly agent_name: string | null;
  readonly environment: string | null;
  readonly cohort: CallCohort;
}
