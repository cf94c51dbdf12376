import { type Category, isCategory } from "../fingerprint.ts";
import type { FailureClass, Retryability } from "../semconv.ts";
import { quoteReceived } from "./received.ts";

/** Classes that say the arguments were refused. */
export type RejectedClass = Extract<FailureClass, "malformed" | "schema" | "unknown_tool" | "tool_input">;

export interface ToolInputErrorOptions {
  /** The argument at fault: a dotted path such as `guests.0.age`. Absent where no single one is. */
  readonly parameter?: string | undefined;
  /** What is wrong, by the closed list of fingerprint categories; any other word counts as `custom`. */
  readonly category?: Category | (string & {}) | undefined;
  /** What came. Only a short, quoted part of it is shown to the model, and nothing of it is recorded. */
  readonly received?: unknown;
  /** What would have been right: `"2026-01-15"`. */
  readonly example?: unknown;
  /** The corrected call in words: `For a whole month, pass start=2026-01-01 and end=2026-01-31.` */
  readonly correction?: string | undefined;
  readonly retryability?: Retryability | undefined;
  /** `tool_input` where the tool itself refuses. */
  readonly failureClass?: RejectedClass | undefined;
  /** A whole text of your own for the model, in place of the one that is made from the fields. */
  readonly message?: string | undefined;
  readonly cause?: unknown;
}

const BRAND = Symbol.for("mulligan.ToolInputError");

/**
 * Thrown by a tool that refuses its arguments; its `message` is the text that the model reads. Recorded are class,
 * parameter and category, never the message or the received value.
 *
 * @example
 * throw new ToolInputError({ parameter: "start", category: "date_format", received: start, example: "2026-01-15" });
 */
export class ToolInputError extends Error {
  override readonly name = "ToolInputError";
  readonly parameter: string | undefined;
  readonly category: Category;
  readonly retryability: Retryability;
  readonly failureClass: RejectedClass;
  /** Fingerprint of the call, where the wrapper refused it; value-free, so it may be logged. */
  readonly fingerprint: string | undefined;

  constructor(options: ToolInputErrorOptions = {}, fingerprint?: string) {
    super(options.message ?? textOf(options), options.cause === undefined ? {} : { cause: options.cause });
    this.parameter = options.parameter;
    this.category = isCategory(options.category) ? options.category : "custom";
    this.retryability = options.retryability ?? "after_change";
    this.failureClass = options.failureClass ?? "tool_input";
    this.fingerprint = fingerprint;
    // Two copies of the package in one process are common; `instanceof` knows only its own.
    Object.defineProperty(this, BRAND, { value: true });
  }
}

export function isToolInputError(error: unknown): error is ToolInputError {
  return typeof error === "object" && error !== null && (error as { [BRAND]?: unknown })[BRAND] === true;
}

function textOf({ parameter, received, example, correction, retryability }: ToolInputErrorOptions): string {
  const parts = [parameter === undefined ? "The arguments were refused" : `Invalid argument "${parameter}"`];
  if (example !== undefined) parts[0] += `: expected a value like ${JSON.stringify(example)}`;
  const shown = received === undefined ? undefined : quoteReceived(parameter, received);
  if (shown !== undefined) parts[0] += `${example === undefined ? ":" : ","} received ${shown}`;
  parts[0] += ".";
  if (correction !== undefined) parts.push(correction);
  parts.push(RETRY_SENTENCE[retryability ?? "after_change"]);
  return parts.join(" ");
}

/** Whether trying again can help, in words for the model. */
export const RETRY_SENTENCE: Readonly<Record<Retryability, string>> = {
  after_change: "A call with corrected arguments can succeed; the same call will fail again.",
  as_is: "The same call may succeed if it is sent again.",
  never: "Trying again cannot succeed.",
};
