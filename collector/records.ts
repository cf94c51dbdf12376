/**
 * The neutral record: what one span or one line of a file says about a run, a model turn or a tool call.
 *
 * Every source (our own spans, files, later foreign spans) is reduced to these three; `assemble.ts` builds runs from
 * them. Content never gets this far: arguments are a signature and digests, error texts a class, a fingerprint and a
 * rung. A field that the source does not state is absent, never a default: `null` means "not known" (METRICS.md).
 */
import type {
  FailureClass,
  Origin,
  ResultState,
  Retryability,
  Risk,
  RunOutcome,
  Verdict,
} from "@mulligan/instrumentation/internal/semconv";

/** What a record of any type may say about the run that it belongs to. */
export interface RunFacts {
  /** `mulligan.run.id`, or for files source, the file's own run key and model. Absent where the trace decides. */
  run_id?: string;
  /** Counts resumptions of the run; 0 where it was never resumed. */
  leg?: number;
  agent_name?: string;
  agent_version?: string;
  conversation_id?: string;
  environment?: string;
  service_name?: string;
  /** Raw `mulligan.assignment` elements, one a rollout. */
  assignment?: readonly string[];
  feature_flags?: Readonly<Record<string, string>>;
  /** Declared `mulligan.cohort.*` keys without the prefix. */
  cohort?: Readonly<Record<string, string>>;
}

/** One run or one leg of it: an `invoke_agent` span, or what a file says of a trajectory as a whole. */
export interface RunRecord extends RunFacts {
  type: "run";
  outcome?: RunOutcome;
  budget?: string;
  parent_run_id?: string;
  parent_call_id?: string;
  /** The file's own key of the run, for lists that a person compares with the file. */
  run_key?: string;
  /** A file says everything that will ever be said: the run has ended, whatever its outcome. */
  read_from_file?: boolean;
  /** Where a file's run takes its times from: the file, or (absent too) the moment of its first import. */
  time_source?: "file" | "import";
  /** The zero-length span of `recordRunOutcome`: it reports an outcome and is no leg of its own. */
  outcome_only?: boolean;
}

/** One model response. */
export interface TurnRecord extends RunFacts {
  type: "turn";
  turn?: number;
  turn_source?: "exact" | "inferred";
  model?: string;
  provider?: string;
  /** Cached part included. */
  input_tokens?: number;
  cached_input_tokens?: number;
  cache_write_tokens?: number;
  output_tokens?: number;
  duration_ms?: number;
  tools_offered?: number;
  tool_definition_tokens?: number;
  finish_reason?: string;
}

/** One proposal of the model, and what became of it. */
export interface CallRecord extends RunFacts {
  type: "call";
  turn?: number;
  turn_source?: "exact" | "inferred";
  /** Place in the turn's batch. */
  ordinal?: number;
  /** Counter of calls in the run: a gap shows that spans were sampled away or dropped. */
  sequence?: number;
  /** The provider's id. No key: real transcripts reuse ids across and inside runs. */
  call_id?: string;
  /** Name that the model saw; `_unknown` for a tool that was not offered. */
  tool: string;
  tool_source?: string;
  tool_type?: string;
  /** Keyed digest of the requested name of an unknown tool. */
  requested?: string;
  nearest?: string;
  key_id?: string;
  signature?: string;
  /** `name=16 hex`, sorted by name, at most 32, `*` for undeclared names. Absent where the arguments are no object. */
  argument_digests?: readonly string[];
  parsed_source?: boolean;
  repair_of?: string;
  link_source?: "harness" | "wrapper";
  operation_id?: string;
  origin?: Origin;
  validated?: boolean;
  corrected?: boolean;
  undeclared_arguments?: number;
  verdict?: Verdict;
  schema_verdict?: "accepted" | "rejected";
  failure_class?: FailureClass;
  /** `false` where no result is known: the verdict is then `unknown`. */
  has_result?: boolean;
  execution_attempts?: number;
  fingerprint?: string;
  fingerprints?: readonly string[];
  fingerprint_version?: string;
  retryability?: Retryability;
  /** 0 to 4: the ladder of an error text, in ATTRIBUTES.md. */
  rung?: number;
  properties?: readonly string[];
  text_id?: string;
  text_source?: string;
  rule?: string;
  delivered?: boolean;
  template_version?: string;
  schema_version?: string;
  risk?: Risk;
  external?: boolean;
  strict?: boolean;
  deferred?: boolean;
  runs_on?: string;
  definition_tokens?: number;
  result_state?: ResultState;
  result_evidence?: boolean;
  continuation_id?: string;
  result_bytes?: number;
  result_truncated?: boolean;
  result_empty?: boolean;
}

export type NeutralRecord = RunRecord | TurnRecord | CallRecord;

/**
 * A record with its identity, time and place. Sent twice it collides: the key is (project, trace id, span id) for
 * spans and (project, source, run key, line id) for files, both kept as `trace_id` and `span_id`.
 */
export interface Observation {
  /** 32 hex digits: the trace id, or the first 16 bytes of SHA-256 over source, NUL, run key. */
  readonly trace_id: string;
  /** 16 hex digits: the span id, or the first 8 bytes of SHA-256 over the line id. */
  readonly span_id: string;
  /** 16 hex digits, or null for a root. */
  readonly parent_span_id: string | null;
  /** Nanoseconds since 1970, exact. */
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  /** Name of the source: `otlp` for spans, else the `--source` of the import. */
  readonly source: string;
  readonly record: NeutralRecord;
}
