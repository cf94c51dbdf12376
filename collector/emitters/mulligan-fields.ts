/** Where each attribute of our own contract goes. The names and types are those of ATTRIBUTES.md. */
import * as grammar from "@mulligan/instrumentation/internal/grammar";
import * as semconv from "@mulligan/instrumentation/internal/semconv";
import type { CallRecord, RunFacts, RunRecord, TurnRecord } from "../records.ts";
import {
  boolean,
  count,
  hex,
  identifier,
  integer,
  label,
  listOf,
  matching,
  milliseconds,
  oneOf,
} from "./attribute-readers.ts";
import { type Field, field, placing } from "./span-reading.ts";

const FINGERPRINT = matching(
  grammar.FINGERPRINT,
  "a fingerprint of class, declared path and category, for example invalid:start:date_format",
);
const ARGUMENT_DIGEST = matching(
  grammar.ARGUMENT_DIGEST,
  "name=digest with 16 hex digits, for example start=0f1e2d3c4b5a6978",
);

export const RUN_FACT_FIELDS: readonly Field<RunFacts>[] = [
  placing(semconv.ATTR_RUN_ID, "run_id", identifier(256)),
  placing(semconv.ATTR_RUN_LEG, "leg", integer(0, grammar.MOST_LEG, 1)),
  field(semconv.ATTR_GEN_AI_AGENT_NAME, "agent_name", label(256)),
  field(semconv.ATTR_GEN_AI_AGENT_VERSION, "agent_version", identifier(256)),
  field(semconv.ATTR_GEN_AI_CONVERSATION_ID, "conversation_id", identifier(256)),
  field(semconv.ATTR_ASSIGNMENT, "assignment", listOf(32, identifier(1024))),
];

export const RESOURCE_FIELDS: readonly Field<RunFacts>[] = [
  field(semconv.ATTR_SERVICE_NAME, "service_name", label(256)),
  field(semconv.ATTR_DEPLOYMENT_ENVIRONMENT_NAME, "environment", label(256)),
];

export const RUN_FIELDS: readonly Field<RunRecord>[] = [
  field(semconv.ATTR_RUN_OUTCOME, "outcome", oneOf(...semconv.RUN_OUTCOMES)),
  field(semconv.ATTR_RUN_BUDGET, "budget", identifier(64)),
  field(semconv.ATTR_RUN_PARENT_ID, "parent_run_id", identifier(256)),
  field(semconv.ATTR_RUN_PARENT_CALL_ID, "parent_call_id", identifier(256)),
];

export const TURN_FIELDS: readonly Field<TurnRecord>[] = [
  placing(semconv.ATTR_TURN_INDEX, "turn", integer(0, grammar.MOST_TURN, 3)),
  field(semconv.ATTR_TURN_SOURCE, "turn_source", oneOf("exact", "inferred")),
  field(semconv.ATTR_GEN_AI_PROVIDER_NAME, "provider", label(128)),
  field(semconv.ATTR_GEN_AI_USAGE_INPUT_TOKENS, "input_tokens", count),
  field(semconv.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS, "cached_input_tokens", count),
  field(semconv.ATTR_GEN_AI_USAGE_CACHE_WRITE_INPUT_TOKENS, "cache_write_tokens", count),
  field(semconv.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS, "output_tokens", count),
  field(semconv.ATTR_TURN_DURATION_MS, "duration_ms", milliseconds),
  field(semconv.ATTR_TURN_TOOLS_OFFERED, "tools_offered", integer(0, grammar.MOST_TOOLS, 12)),
  field(semconv.ATTR_TURN_TOOL_DEFINITION_TOKENS, "tool_definition_tokens", integer(0, 1_000_000_000, 4_800)),
];

/** The requested model first: the response's, which is the exact one, is read over it. */
export const TURN_MODEL_FIELDS: readonly Field<TurnRecord>[] = [
  field(semconv.ATTR_GEN_AI_REQUEST_MODEL, "model", label(256)),
  field(semconv.ATTR_GEN_AI_RESPONSE_MODEL, "model", label(256)),
];

export const CALL_FIELDS: readonly Field<CallRecord>[] = [
  placing(semconv.ATTR_GEN_AI_TOOL_NAME, "tool", label(256)),
  placing(semconv.ATTR_TURN_INDEX, "turn", integer(0, grammar.MOST_TURN, 3)),
  field(semconv.ATTR_TURN_SOURCE, "turn_source", oneOf("exact", "inferred")),
  placing(semconv.ATTR_CALL_INDEX, "ordinal", integer(0, grammar.MOST_PLACE, 0)),
  field(semconv.ATTR_CALL_SEQUENCE, "sequence", integer(0, 2_000_000_000, 17)),
  placing(semconv.ATTR_GEN_AI_TOOL_CALL_ID, "call_id", identifier(256)),
  field(semconv.ATTR_TOOL_SOURCE, "tool_source", label(256)),
  field(semconv.ATTR_GEN_AI_TOOL_TYPE, "tool_type", identifier(64)),
  field(semconv.ATTR_TOOL_REQUESTED, "requested", hex(16)),
  field(semconv.ATTR_TOOL_NEAREST, "nearest", label(256)),
  field(semconv.ATTR_SIGNING_KEY_ID, "key_id", hex(8)),
  field(semconv.ATTR_CALL_SIGNATURE, "signature", hex(32)),
  field(semconv.ATTR_CALL_ARGUMENT_DIGESTS, "argument_digests", listOf(32, ARGUMENT_DIGEST)),
  field(semconv.ATTR_CALL_PARSED_SOURCE, "parsed_source", boolean),
  field(semconv.ATTR_CALL_REPAIR_OF, "repair_of", identifier(256)),
  field(semconv.ATTR_LINK_SOURCE, "link_source", oneOf("harness", "wrapper")),
  field(semconv.ATTR_CALL_OPERATION_ID, "operation_id", hex(16)),
  placing(semconv.ATTR_CALL_ORIGIN, "origin", oneOf(...semconv.ORIGINS)),
  field(semconv.ATTR_CALL_VALIDATED, "validated", boolean),
  field(semconv.ATTR_CALL_CORRECTED, "corrected", boolean),
  field(semconv.ATTR_CALL_UNDECLARED_ARGUMENTS, "undeclared_arguments", integer(0, grammar.MOST_UNDECLARED, 1)),
  placing(semconv.ATTR_CALL_VERDICT, "verdict", oneOf(...semconv.VERDICTS)),
  field(semconv.ATTR_CALL_SCHEMA_VERDICT, "schema_verdict", oneOf("accepted", "rejected")),
  placing(semconv.ATTR_CALL_FAILURE_CLASS, "failure_class", oneOf(...semconv.FAILURE_CLASSES)),
  field(semconv.ATTR_CALL_EXECUTION_ATTEMPTS, "execution_attempts", integer(1, 1_000_000, 1)),
  field(semconv.ATTR_ERROR_FINGERPRINT, "fingerprint", FINGERPRINT),
  field(semconv.ATTR_ERROR_FINGERPRINTS, "fingerprints", listOf(8, FINGERPRINT)),
  field(semconv.ATTR_ERROR_FINGERPRINT_VERSION, "fingerprint_version", identifier(64)),
  field(semconv.ATTR_ERROR_RETRYABILITY, "retryability", oneOf(...semconv.RETRYABILITIES)),
  field(semconv.ATTR_ERROR_RUNG, "rung", integer(0, 4, 3)),
  field(
    semconv.ATTR_ERROR_PROPERTIES,
    "properties",
    listOf(5, oneOf("parameter", "received", "example", "correction", "retry_stated")),
  ),
  field(semconv.ATTR_ERROR_TEXT_ID, "text_id", identifier(128)),
  field(semconv.ATTR_ERROR_TEXT_SOURCE, "text_source", oneOf("template", "tool", "framework", "engine")),
  field(semconv.ATTR_ERROR_RULE, "rule", identifier(128)),
  field(semconv.ATTR_ERROR_DELIVERED, "delivered", boolean),
  field(semconv.ATTR_ERROR_TEMPLATE_VERSION, "template_version", identifier(256)),
  field(semconv.ATTR_TOOL_SCHEMA_VERSION, "schema_version", identifier(256)),
  field(semconv.ATTR_TOOL_RISK, "risk", oneOf(...semconv.RISKS)),
  field(semconv.ATTR_TOOL_EXTERNAL, "external", boolean),
  field(semconv.ATTR_TOOL_STRICT, "strict", boolean),
  field(semconv.ATTR_TOOL_DEFERRED, "deferred", boolean),
  field(semconv.ATTR_TOOL_RUNS_ON, "runs_on", oneOf("worker", "client", "connector", "provider")),
  field(semconv.ATTR_TOOL_DEFINITION_TOKENS, "definition_tokens", integer(0, 1_000_000_000, 400)),
  field(semconv.ATTR_RESULT_STATE, "result_state", oneOf(...semconv.RESULT_STATES)),
  field(semconv.ATTR_RESULT_EVIDENCE, "result_evidence", boolean),
  field(semconv.ATTR_RESULT_CONTINUATION_ID, "continuation_id", hex(16)),
  field(semconv.ATTR_RESULT_BYTES, "result_bytes", count),
  field(semconv.ATTR_RESULT_TRUNCATED, "result_truncated", boolean),
  field(semconv.ATTR_RESULT_EMPTY, "result_empty", boolean),
];
