import { isToolInputError } from "../errors/tool-input-error.ts";
import { type Category, fingerprint, isCategory, type Reason, ROOT_PATH } from "../fingerprint.ts";
import { guarded, reportOnce } from "../guard.ts";
import { safeWord } from "../safe-text.ts";
import {
  FAILURE_CLASSES,
  type FailureClass,
  REJECTED_CLASSES,
  RETRYABILITIES,
  type Retryability,
  type Verdict,
} from "../semconv.ts";
import type { ErrorClass, ToolCall } from "../types.ts";
import { rewritePath, type SchemaNode } from "../validation/declared.ts";
import type { Validation } from "../validation/validate.ts";

/** What a failed call is recorded as: closed words only, nothing of the error itself. */
export interface Failure {
  readonly failureClass: FailureClass;
  readonly verdict: Verdict;
  /** Most important first. */
  readonly fingerprints: readonly string[];
  readonly category: string;
  readonly retryability: Retryability | undefined;
  readonly rule: string | undefined;
}

export interface FailureContext {
  readonly call: ToolCall;
  readonly validation: Validation;
  readonly schema: SchemaNode | undefined;
  readonly classifyError: ((error: unknown, call: ToolCall) => ErrorClass | FailureClass | undefined) | undefined;
}

/**
 * The class of a thrown error, or of a result that says it is one. The first that matches wins: the caller's hook, our
 * own error, abort and timeout, an error of the JavaScript language (the tool's own fault), the schema's opinion.
 */
export function classifyFailure(error: unknown, context: FailureContext): Failure {
  const hook = askHook(error, context);
  if (hook) return fromHook(hook, context);
  if (isToolInputError(error)) {
    const path = rewritePath(context.schema, parsePath(error.parameter));
    const category = isCategory(error.category) ? error.category : "custom";
    return argumentFault(
      REJECTED_CLASSES.find((known) => known === error.failureClass) ?? "tool_input",
      [{ path, category }],
      RETRYABILITIES.find((known) => known === error.retryability) ?? "after_change",
    );
  }
  const plain = classByKind(error);
  if (plain) return ran(plain, "other", undefined, context);
  if (context.validation.opinion === "rejected") return refusal(context.validation);
  return ran("execution", "other", undefined, context);
}

/** A call whose error cannot be read: a getter or a proxy that throws. */
export function unclassified(context: FailureContext): Failure {
  return ran("unclassified", "other", undefined, context);
}

/** A call that the schema refuses, and that was not run or failed for no other known reason. */
export function refusal(validation: Extract<Validation, { opinion: "rejected" }>): Failure {
  return argumentFault(validation.failureClass, validation.reasons, "after_change");
}

function argumentFault(failureClass: FailureClass, reasons: readonly Reason[], retryability: Retryability): Failure {
  return {
    failureClass,
    verdict: "rejected",
    fingerprints: reasons.map(({ path, category }) => fingerprint(failureClass, path, category)),
    category: reasons[0]?.category ?? "other",
    retryability,
    rule: undefined,
  };
}

/** A call of another class: it ran, unless it was denied, cancelled or is not understood, and nothing else is known. */
function ran(
  failureClass: FailureClass,
  category: string,
  said: Partial<ErrorClass> | undefined,
  context: FailureContext,
): Failure {
  const certain = failureClass === "execution" || failureClass === "timeout" || failureClass === "output_invalid";
  const passed = context.validation.opinion === "accepted";
  return {
    failureClass,
    verdict: certain || passed ? "accepted" : "unknown",
    fingerprints: [fingerprint(failureClass, ROOT_PATH, category)],
    category,
    retryability: said?.retryability,
    rule: safeWord("classifyError's rule", said?.rule),
  };
}

function askHook(error: unknown, { classifyError, call }: FailureContext): ErrorClass | undefined {
  if (!classifyError) return undefined;
  const said = guarded(
    "classifyError",
    "the hook classifyError threw, so the defaults decide",
    () => classifyError(error, call),
    undefined,
  );
  if (said === undefined || said === null) return undefined;
  const full: ErrorClass = typeof said === "string" ? { failureClass: said } : said;
  if (FAILURE_CLASSES.includes(full.failureClass)) return full;
  reportOnce(
    "classifyError-class",
    `classifyError must return one of ${FAILURE_CLASSES.join(", ")}; the defaults decide`,
  );
  return undefined;
}

function fromHook(said: ErrorClass, context: FailureContext): Failure {
  const retryability = RETRYABILITIES.includes(said.retryability as Retryability) ? said.retryability : undefined;
  const word = safeWord("classifyError's category", said.category);
  if (!REJECTED_CLASSES.some((rejected) => rejected === said.failureClass)) {
    const rule = said.failureClass === "denied" ? safeWord("classifyError's rule", said.rule) : undefined;
    return ran(said.failureClass, rule ?? word ?? "other", { ...said, retryability }, context);
  }
  const { validation, schema } = context;
  const sameClass = validation.opinion === "rejected" && validation.failureClass === said.failureClass;
  if (sameClass && said.parameter === undefined && word === undefined) {
    return argumentFault(said.failureClass, validation.reasons, retryability ?? "after_change");
  }
  const category: Category = isCategory(word) ? word : word === undefined ? "other" : "custom";
  const path = rewritePath(schema, parsePath(said.parameter));
  return argumentFault(said.failureClass, [{ path, category }], retryability ?? "after_change");
}

/** `guests.0.age` and `guests[0].age` alike. */
function parsePath(parameter: string | undefined): (string | number)[] {
  if (parameter === undefined || parameter === "" || parameter === ROOT_PATH) return [];
  const parts = String(parameter)
    .replace(/\[(\d*)\]/g, ".$1")
    .split(".");
  return parts.map((part) => (part === "" ? 0 : /^\d+$/.test(part) ? Number(part) : part));
}

function classByKind(error: unknown): FailureClass | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { name, code } = error as { name?: unknown; code?: unknown };
  if (name === "AbortError" || code === "ABORT_ERR") return "cancelled";
  if (name === "TimeoutError" || code === "ETIMEDOUT") return "timeout";
  const native = error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
  return native ? "execution" : undefined;
}
