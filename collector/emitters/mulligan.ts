/**
 * What one span of our own contract says (ATTRIBUTES.md), or one that has only the standard part of it.
 *
 * Only what is named in `mulligan-fields.ts` is read, so content (`gen_ai.tool.call.arguments`, events, status texts,
 * messages) ends here. Pure.
 */
import { COHORT_KEY, MOST_COHORT_KEYS, WORD } from "@mulligan/instrumentation/internal/grammar";
import {
  ATTR_CALL_FAILURE_CLASS,
  ATTR_CALL_VERDICT,
  ATTR_COHORT_PREFIX,
  ATTR_ERROR_TYPE,
  ATTR_FEATURE_FLAG_KEY,
  ATTR_FEATURE_FLAG_RESULT_VARIANT,
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_RESPONSE_FINISH_REASONS,
  ATTR_GEN_AI_TOOL_NAME,
  ATTR_RESULT_STATE,
  ATTR_RUN_OUTCOME,
  FAILURE_CLASSES,
  type FailureClass,
  OPERATION_CHAT,
  OPERATION_EXECUTE_TOOL,
  OPERATION_INVOKE_AGENT,
  REJECTED_CLASSES,
  UNKNOWN_TOOL,
} from "@mulligan/instrumentation/internal/semconv";
import { type Attributes, type Span, STATUS_ERROR } from "../otlp/span.ts";
import type { CallRecord, NeutralRecord, RunFacts, RunRecord, TurnRecord } from "../records.ts";
import { identifier, label } from "./attribute-readers.ts";
import {
  CALL_FIELDS,
  RESOURCE_FIELDS,
  RUN_FACT_FIELDS,
  RUN_FIELDS,
  TURN_FIELDS,
  TURN_MODEL_FIELDS,
} from "./mulligan-fields.ts";
import { type Complaint, SpanReading } from "./span-reading.ts";

/** Older and emitters' spellings of the same counts (`research` of emitters: GenAI conventions before v0.1.0). */
const OLDER_SPELLINGS: Readonly<Record<string, string>> = {
  "gen_ai.usage.cache_creation.input_tokens": "gen_ai.usage.cache_write.input_tokens",
  "gen_ai.usage.cache_creation_input_tokens": "gen_ai.usage.cache_write.input_tokens",
  "gen_ai.usage.cache_read_input_tokens": "gen_ai.usage.cache_read.input_tokens",
  "gen_ai.usage.prompt_tokens": "gen_ai.usage.input_tokens",
  "gen_ai.usage.completion_tokens": "gen_ai.usage.output_tokens",
};

/** A record with remarks on attributes that were left out; a reason to refuse the span; or no GenAI operation. */
export type SpanVerdict =
  | { readonly record: NeutralRecord; readonly warnings: readonly Complaint[] }
  | { readonly refused: Complaint }
  | { readonly ignored: true };

export function readMulliganSpan(span: Span): SpanVerdict {
  const reading = new SpanReading(withNewerSpellings(span.attributes));
  const record = recordOf(span, reading);
  if (record === null) return { ignored: true };
  readFacts(span, record, reading);
  return reading.refusal === null ? { record, warnings: reading.warnings } : { refused: reading.refusal };
}

function withNewerSpellings(attributes: Attributes): Attributes {
  const older = Object.entries(OLDER_SPELLINGS).filter(([spelling]) => attributes[spelling] !== undefined);
  const renamed = older.map(([spelling, name]) => [name, attributes[spelling]!] as const);
  return renamed.length === 0 ? attributes : { ...Object.fromEntries(renamed), ...attributes };
}

function recordOf(span: Span, reading: SpanReading): NeutralRecord | null {
  switch (span.attributes[ATTR_GEN_AI_OPERATION_NAME]) {
    case OPERATION_INVOKE_AGENT:
      return readRun(span, reading);
    case OPERATION_CHAT:
      return readTurn(span, reading);
    case OPERATION_EXECUTE_TOOL:
      return readCall(span, reading);
    default:
      return null;
  }
}

function readRun(span: Span, reading: SpanReading): RunRecord {
  const record: RunRecord = { type: "run" };
  reading.fill(record, RUN_FIELDS);
  // `recordRunOutcome` sends a span without length: it reports, and is no leg.
  if (span.attributes[ATTR_RUN_OUTCOME] !== undefined && span.startNs === span.endNs) record.outcome_only = true;
  return record;
}

function readTurn(span: Span, reading: SpanReading): TurnRecord {
  const record: TurnRecord = { type: "turn" };
  reading.fill(record, TURN_FIELDS);
  reading.fill(record, TURN_MODEL_FIELDS);
  const reasons = span.attributes[ATTR_GEN_AI_RESPONSE_FINISH_REASONS];
  const reason = Array.isArray(reasons) ? reasons[0] : undefined;
  if (typeof reason === "string" && WORD.test(reason)) record.finish_reason = reason;
  return record;
}

function readCall(span: Span, reading: SpanReading): CallRecord {
  const { attributes } = span;
  // An integration that reports work in progress as `running` says what we call `started`.
  const running = attributes[ATTR_RESULT_STATE] === "running";
  const record: CallRecord = { type: "call", tool: "" };
  reading.fill(record, running ? CALL_FIELDS.filter((field) => field.attribute !== ATTR_RESULT_STATE) : CALL_FIELDS);
  if (running) record.result_state = "started";
  if (attributes[ATTR_GEN_AI_TOOL_NAME] === undefined) {
    reading.refusal ??= {
      kind: "no tool name",
      message: `${ATTR_GEN_AI_TOOL_NAME} is missing on an ${OPERATION_EXECUTE_TOOL} span; send the tool's declared name, or ${UNKNOWN_TOOL}`,
    };
  }
  const failureClass = record.failure_class ?? classOf(span, record);
  if (failureClass !== undefined) record.failure_class = failureClass;
  // The name of a tool that nobody offered is text of the model.
  if (failureClass === "unknown_tool") record.tool = UNKNOWN_TOOL;
  warnOfContradiction(record, reading);
  return record;
}

/** METRICS.md: exactly four classes are rejections. What contradicts that is stored, and its verdict follows the class. */
function warnOfContradiction({ verdict, failure_class }: CallRecord, reading: SpanReading): void {
  const isRejection = REJECTED_CLASSES.some((rejected) => rejected === failure_class);
  if (verdict === undefined || isRejection === (verdict === "rejected")) return;
  reading.warnings.push({
    kind: `${ATTR_CALL_VERDICT} contradicts ${ATTR_CALL_FAILURE_CLASS}`,
    message: `${ATTR_CALL_VERDICT} is ${verdict} and ${ATTR_CALL_FAILURE_CLASS} is ${failure_class ?? "absent"}; rejected goes with ${REJECTED_CLASSES.join(", ")} and with no other class; the class was taken`,
  });
}

/** `error.type` holds the class, or class and category; any other text of it is a foreign one and is not kept. */
function classOf(span: Span, record: CallRecord): FailureClass | undefined {
  if (record.verdict === "accepted" && span.status !== STATUS_ERROR) return undefined;
  const type = span.attributes[ATTR_ERROR_TYPE];
  const word = typeof type === "string" ? type.split(":", 1)[0] : undefined;
  const known = FAILURE_CLASSES.find((failureClass) => failureClass === word);
  return known ?? (span.status === STATUS_ERROR || type !== undefined ? "unclassified" : undefined);
}

function readFacts(span: Span, record: RunFacts, reading: SpanReading): void {
  reading.fill(record, RUN_FACT_FIELDS);
  const resource = new SpanReading(span.resource);
  resource.fill(record, RESOURCE_FIELDS);
  reading.warnings.push(...resource.warnings);
  readFeatureFlag(span, record);
  readCohort(span, record, reading);
}

function readFeatureFlag(span: Span, record: RunFacts): void {
  const key = span.attributes[ATTR_FEATURE_FLAG_KEY];
  const variant = span.attributes[ATTR_FEATURE_FLAG_RESULT_VARIANT];
  const name = key === undefined ? undefined : identifier(128).read(key);
  const value = variant === undefined ? undefined : label(128).read(variant);
  if (name !== undefined && value !== undefined) record.feature_flags = { [name]: value };
}

function readCohort(span: Span, record: RunFacts, reading: SpanReading): void {
  const cohort: Record<string, string> = {};
  for (const attribute in span.attributes) {
    if (!attribute.startsWith(ATTR_COHORT_PREFIX)) continue;
    const value = span.attributes[attribute]!;
    const key = attribute.slice(ATTR_COHORT_PREFIX.length);
    const text = typeof value === "boolean" || typeof value === "number" ? String(value) : label(128).read(value);
    if (COHORT_KEY.test(key) && text !== undefined && Object.keys(cohort).length < MOST_COHORT_KEYS) cohort[key] = text;
    else {
      const wanted = `at most ${MOST_COHORT_KEYS} cohort keys of letters, digits, _, - and ., each with ${label(128).wanted}`;
      reading.complain({ attribute: `${ATTR_COHORT_PREFIX}*`, placing: false, wanted }, value);
    }
  }
  if (Object.keys(cohort).length > 0) record.cohort = cohort;
}
