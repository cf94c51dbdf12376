import { type Span, SpanStatusCode } from "@opentelemetry/api";
import { type Clock, toHrTime } from "../clock.ts";
import { guarded } from "../guard.ts";
import * as semconv from "../semconv.ts";
import type { ExecutorOptions, ToolCall } from "../types.ts";
import type { Validation } from "../validation/validate.ts";
import { contentText, endAttributes } from "./attributes.ts";
import { classifyFailure, type Failure, refusal, unclassified } from "./classify.ts";
import type { Tool } from "./tools.ts";

/** A validation that does not come holds the span back no longer than this. */
const PATIENCE_MS = 1_000;
const UNCHECKED: Validation = { opinion: "unchecked" };

/** Of a call, what its end needs: the schema's opinion, now or later. */
interface Validated {
  readonly validation: Validation | Promise<Validation>;
}

type FailureOf = (validation: Validation) => Failure | undefined | "lost";
const NOT_RECORDED = "the end of a call could not be recorded";

/** The ways in which a call ends; only the first one counts. `leave` is told at once. */
export function spanEnd(
  span: Span,
  clock: Clock,
  options: ExecutorOptions,
  call: ToolCall,
  tool: Tool | undefined,
  leave: () => void,
) {
  let ended = false;
  const end = (self: Validated, failureOf: FailureOf, result?: { value: unknown }) => {
    if (ended) return;
    ended = true;
    leave();
    const time = toHrTime(clock());
    const close = (validation: Validation) =>
      guarded(
        "call-end",
        NOT_RECORDED,
        () => {
          try {
            const failure = failureOf(validation);
            span.setAttributes(endAttributes(validation, failure));
            if (options.captureContent === true && result) {
              const text = contentText(result.value);
              if (text !== undefined) span.setAttribute(semconv.ATTR_GEN_AI_TOOL_CALL_RESULT, text);
            }
            // No description: that is where an SDK would put the error's text.
            if (failure !== undefined && failure !== "lost") span.setStatus({ code: SpanStatusCode.ERROR });
          } finally {
            span.end(time);
          }
        },
        undefined,
      );
    if (self.validation instanceof Promise) void withPatience(self.validation).then(close);
    else close(self.validation);
  };
  const guardedEnd: typeof end = (...given) => guarded("call-end", NOT_RECORDED, () => end(...given), undefined);
  const classify = (error: unknown) => (validation: Validation) => {
    const context = { call, validation, schema: tool?.schema, classifyError: options.classifyError };
    return guarded(
      "classify",
      "an error cannot be read, so its call is unclassified",
      () => classifyFailure(error, context),
      unclassified(context),
    );
  };
  const isError = (result: unknown) =>
    guarded(
      "isError",
      "the hook isError threw, so the result counts as none",
      () => isErrorResult(options, result),
      false,
    );
  return {
    returned(this: Validated, result: unknown) {
      guardedEnd(this, isError(result) ? classify(result) : () => undefined, { value: result });
    },
    threw(this: Validated, error: unknown) {
      guardedEnd(this, classify(error));
    },
    lost(this: Validated) {
      guardedEnd(this, () => "lost");
    },
    rejected(this: Validated, validation: Extract<Validation, { opinion: "rejected" }>) {
      guardedEnd(this, () => refusal(validation));
    },
  };
}

function isErrorResult(options: ExecutorOptions, result: unknown): boolean {
  if (options.isError) return (options.isError as (result: unknown) => boolean)(result) === true;
  return typeof result === "object" && result !== null && (result as { isError?: unknown }).isError === true;
}

function withPatience(validation: Promise<Validation>): Promise<Validation> {
  const { promise, resolve } = Promise.withResolvers<Validation>();
  const timer = setTimeout(resolve, PATIENCE_MS, UNCHECKED);
  timer.unref();
  void validation.then((settled) => {
    clearTimeout(timer);
    resolve(settled);
  });
  return promise;
}
