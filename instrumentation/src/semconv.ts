/**
 * Attribute names: the contract between executors (ours and those in other languages) and the collector.
 *
 * The `gen_ai.*` names are OpenTelemetry's GenAI conventions (repository semantic-conventions-genai, v0.1.0, status
 * Development). They are copied because the conventions move; nothing here is imported from a moving package.
 * What the conventions lack has the prefix `mulligan.`.
 */

// ---- OpenTelemetry GenAI conventions -------------------------------------------------------------------------------
export const ATTR_ERROR_TYPE = "error.type";
export const ATTR_GEN_AI_OPERATION_NAME = "gen_ai.operation.name";
export const ATTR_GEN_AI_TOOL_NAME = "gen_ai.tool.name";
export const ATTR_GEN_AI_TOOL_CALL_ID = "gen_ai.tool.call.id";
export const ATTR_GEN_AI_TOOL_TYPE = "gen_ai.tool.type";
export const ATTR_GEN_AI_TOOL_CALL_ARGUMENTS = "gen_ai.tool.call.arguments";
export const ATTR_GEN_AI_TOOL_CALL_RESULT = "gen_ai.tool.call.result";
export const ATTR_GEN_AI_CONVERSATION_ID = "gen_ai.conversation.id";
export const ATTR_GEN_AI_AGENT_NAME = "gen_ai.agent.name";
export const ATTR_GEN_AI_AGENT_VERSION = "gen_ai.agent.version";
export const ATTR_GEN_AI_PROVIDER_NAME = "gen_ai.provider.name";
export const ATTR_GEN_AI_REQUEST_MODEL = "gen_ai.request.model";
export const ATTR_GEN_AI_RESPONSE_MODEL = "gen_ai.response.model";
export const ATTR_GEN_AI_RESPONSE_FINISH_REASONS = "gen_ai.response.finish_reasons";
export const ATTR_GEN_AI_USAGE_INPUT_TOKENS = "gen_ai.usage.input_tokens";
export const ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS = "gen_ai.usage.cache_read.input_tokens";
export const ATTR_GEN_AI_USAGE_CACHE_WRITE_INPUT_TOKENS = "gen_ai.usage.cache_write.input_tokens";
export const ATTR_GEN_AI_USAGE_OUTPUT_TOKENS = "gen_ai.usage.output_tokens";

export const OPERATION_EXECUTE_TOOL = "execute_tool";
export const OPERATION_CHAT = "chat";
export const OPERATION_INVOKE_AGENT = "invoke_agent";

// ---- Resource ------------------------------------------------------------------------------------------------------
export const ATTR_SERVICE_NAME = "service.name";
export const ATTR_SERVICE_VERSION = "service.version";
export const ATTR_DEPLOYMENT_ENVIRONMENT_NAME = "deployment.environment.name";

// ---- Run: on invoke_agent, and on every span of the run ------------------------------------------------------------
export const ATTR_RUN_ID = "mulligan.run.id";
export const ATTR_RUN_LEG = "mulligan.run.leg";
export const ATTR_RUN_OUTCOME = "mulligan.run.outcome";
export const ATTR_RUN_BUDGET = "mulligan.run.budget";
export const ATTR_RUN_PARENT_ID = "mulligan.run.parent_id";
export const ATTR_RUN_PARENT_CALL_ID = "mulligan.run.parent_call_id";

// ---- Model turn: on chat and execute_tool --------------------------------------------------------------------------
export const ATTR_TURN_INDEX = "mulligan.turn.index";
export const ATTR_TURN_SOURCE = "mulligan.turn.source";
/** Duration of the model response in ms, where the caller measured it; else the span's own duration counts. */
export const ATTR_TURN_DURATION_MS = "mulligan.turn.duration_ms";
export const ATTR_TURN_TOOLS_OFFERED = "mulligan.turn.tools_offered";
export const ATTR_TURN_TOOL_DEFINITION_TOKENS = "mulligan.turn.tool_definition_tokens";

// ---- Tool call: on execute_tool ------------------------------------------------------------------------------------
export const ATTR_CALL_SEQUENCE = "mulligan.call.sequence";
export const ATTR_CALL_INDEX = "mulligan.call.index";
export const ATTR_CALL_SIGNATURE = "mulligan.call.signature";
export const ATTR_CALL_ARGUMENT_DIGESTS = "mulligan.call.argument_digests";
/** `true` where the framework handed over parsed arguments: what the model wrote beyond double precision is lost. */
export const ATTR_CALL_PARSED_SOURCE = "mulligan.call.parsed_source";
export const ATTR_CALL_REPAIR_OF = "mulligan.call.repair_of";
export const ATTR_LINK_SOURCE = "mulligan.link.source";
export const ATTR_CALL_OPERATION_ID = "mulligan.call.operation_id";
export const ATTR_CALL_ORIGIN = "mulligan.call.origin";
export const ATTR_CALL_VALIDATED = "mulligan.call.validated";
export const ATTR_CALL_CORRECTED = "mulligan.call.corrected";
export const ATTR_CALL_UNDECLARED_ARGUMENTS = "mulligan.call.undeclared_arguments";
export const ATTR_CALL_VERDICT = "mulligan.call.verdict";
/** What the declared schema says of the arguments, whatever happened: `accepted`, `rejected`. Data health only. */
export const ATTR_CALL_SCHEMA_VERDICT = "mulligan.call.schema_verdict";
export const ATTR_CALL_FAILURE_CLASS = "mulligan.call.failure_class";
export const ATTR_CALL_EXECUTION_ATTEMPTS = "mulligan.call.execution_attempts";
export const ATTR_SIGNING_KEY_ID = "mulligan.signing.key_id";

// ---- The error text of a failed call -------------------------------------------------------------------------------
export const ATTR_ERROR_FINGERPRINT = "mulligan.error.fingerprint";
export const ATTR_ERROR_FINGERPRINTS = "mulligan.error.fingerprints";
export const ATTR_ERROR_FINGERPRINT_VERSION = "mulligan.error.fingerprint_version";
export const ATTR_ERROR_RETRYABILITY = "mulligan.error.retryability";
export const ATTR_ERROR_RUNG = "mulligan.error.rung";
export const ATTR_ERROR_PROPERTIES = "mulligan.error.properties";
export const ATTR_ERROR_TEXT_ID = "mulligan.error.text_id";
export const ATTR_ERROR_TEXT_SOURCE = "mulligan.error.text_source";
export const ATTR_ERROR_RULE = "mulligan.error.rule";
export const ATTR_ERROR_DELIVERED = "mulligan.error.delivered";
export const ATTR_ERROR_TEMPLATE_VERSION = "mulligan.error.template_version";

// ---- The tool ------------------------------------------------------------------------------------------------------
export const ATTR_TOOL_REQUESTED = "mulligan.tool.requested";
export const ATTR_TOOL_NEAREST = "mulligan.tool.nearest";
export const ATTR_TOOL_SOURCE = "mulligan.tool.source";
export const ATTR_TOOL_SCHEMA_VERSION = "mulligan.tool.schema_version";
export const ATTR_TOOL_RISK = "mulligan.tool.risk";
export const ATTR_TOOL_EXTERNAL = "mulligan.tool.external";
export const ATTR_TOOL_STRICT = "mulligan.tool.strict";
export const ATTR_TOOL_DEFERRED = "mulligan.tool.deferred";
export const ATTR_TOOL_RUNS_ON = "mulligan.tool.runs_on";
export const ATTR_TOOL_DEFINITION_TOKENS = "mulligan.tool.definition_tokens";

// ---- The result ----------------------------------------------------------------------------------------------------
export const ATTR_RESULT_STATE = "mulligan.result.state";
export const ATTR_RESULT_EVIDENCE = "mulligan.result.evidence";
export const ATTR_RESULT_CONTINUATION_ID = "mulligan.result.continuation_id";
export const ATTR_RESULT_BYTES = "mulligan.result.bytes";
export const ATTR_RESULT_TRUNCATED = "mulligan.result.truncated";
export const ATTR_RESULT_EMPTY = "mulligan.result.empty";

// ---- Cohorts -------------------------------------------------------------------------------------------------------
export const ATTR_ASSIGNMENT = "mulligan.assignment";
export const ATTR_FEATURE_FLAG_KEY = "feature_flag.key";
export const ATTR_FEATURE_FLAG_RESULT_VARIANT = "feature_flag.result.variant";
/** Prefix of declared cohort keys: `mulligan.cohort.tenant_tier`. */
export const ATTR_COHORT_PREFIX = "mulligan.cohort.";

/** Name under which a call to a tool that was not offered is recorded: the requested name is text of the model. */
export const UNKNOWN_TOOL = "_unknown";

export const RUN_OUTCOMES = ["completed", "unsuccessful", "escalated", "blocked", "exhausted", "failed"] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

export const VERDICTS = ["accepted", "rejected", "unknown"] as const;
export type Verdict = (typeof VERDICTS)[number];

export const FAILURE_CLASSES = [
  "malformed",
  "schema",
  "unknown_tool",
  "tool_input",
  "denied",
  "execution",
  "timeout",
  "cancelled",
  "output_invalid",
  "unclassified",
] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** The classes that reject the arguments: they open repair episodes. */
export const REJECTED_CLASSES = ["malformed", "schema", "unknown_tool", "tool_input"] as const;

export const RETRYABILITIES = ["after_change", "as_is", "never"] as const;
export type Retryability = (typeof RETRYABILITIES)[number];

export const RISKS = ["read", "write_reversible", "write_irreversible", "unstated"] as const;
export type Risk = (typeof RISKS)[number];

export const ORIGINS = ["model", "worker", "workflow", "user", "output"] as const;
export type Origin = (typeof ORIGINS)[number];

export const RESULT_STATES = ["accepted", "queued", "started", "completed", "verified", "failed"] as const;
export type ResultState = (typeof RESULT_STATES)[number];
