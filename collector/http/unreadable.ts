/** Attributes of the contract that came and could not be read → what is said of them. Pure. */
import * as semconv from "@mulligan/instrumentation/internal/semconv";
import * as fields from "../emitters/mulligan-fields.ts";
import type { Complaint } from "../emitters/span-reading.ts";
import type { Span, UnreadableAttribute } from "../otlp/span.ts";

interface Expected {
  /** Without it the call would be counted in another place, or as another thing. */
  readonly placing: boolean;
  readonly wanted: string;
}

const OPERATIONS = [semconv.OPERATION_EXECUTE_TOOL, semconv.OPERATION_CHAT, semconv.OPERATION_INVOKE_AGENT];

const SPAN: ReadonlyMap<string, Expected> = new Map<string, Expected>([
  [semconv.ATTR_GEN_AI_OPERATION_NAME, { placing: true, wanted: `one of ${OPERATIONS.join(", ")}` }],
  [semconv.ATTR_ERROR_TYPE, { placing: false, wanted: "the failure class, for example schema" }],
  [semconv.ATTR_FEATURE_FLAG_KEY, { placing: false, wanted: "the flag's name" }],
  [semconv.ATTR_FEATURE_FLAG_RESULT_VARIANT, { placing: false, wanted: "the variant's name" }],
  ...[
    fields.RUN_FACT_FIELDS,
    fields.RUN_FIELDS,
    fields.TURN_FIELDS,
    fields.TURN_MODEL_FIELDS,
    fields.CALL_FIELDS,
  ].flatMap(entriesOf),
]);
const RESOURCE: ReadonlyMap<string, Expected> = new Map(entriesOf(fields.RESOURCE_FIELDS));
const COHORT: Expected = { placing: false, wanted: "short texts" };

function entriesOf(list: readonly (Expected & { readonly attribute: string })[]): [string, Expected][] {
  return list.map((field) => [field.attribute, field]);
}

export interface Unread {
  /** Whether the operation is what could not be read: without it no span of ours is known as one. */
  readonly operation: boolean;
  readonly refusal: Complaint | null;
  readonly warnings: readonly Complaint[];
}

export function readUnreadable(span: Span): Unread {
  const warnings: Complaint[] = [];
  let refusal: Complaint | null = null;
  let operation = false;
  for (const { name, why } of span.unreadable ?? []) {
    const cohort = name.startsWith(semconv.ATTR_COHORT_PREFIX);
    const expected = cohort ? COHORT : SPAN.get(name);
    if (expected === undefined) continue; // content, such as a call's arguments, which is not read at any length
    operation ||= name === semconv.ATTR_GEN_AI_OPERATION_NAME;
    const complaint = complain(cohort ? `${semconv.ATTR_COHORT_PREFIX}*` : name, why, expected);
    if (expected.placing) refusal ??= complaint;
    else warnings.push(complaint);
  }
  for (const { name, why } of span.unreadableResource ?? []) {
    const expected = RESOURCE.get(name);
    if (expected !== undefined) warnings.push(complain(name, why, expected));
  }
  return { operation, refusal, warnings };
}

function complain(name: string, why: UnreadableAttribute["why"], { placing, wanted }: Expected): Complaint {
  const consequence = placing ? "" : "; the attribute was left out";
  return { kind: `${name}: ${why}`, message: `${name}: got ${why}; send ${wanted}${consequence}` };
}
