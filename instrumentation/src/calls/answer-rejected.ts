import type { ToolInputError } from "../errors/tool-input-error.ts";
import { guarded } from "../guard.ts";
import type { AnswerKind } from "./watch.ts";

/** What a function says of its answers before it was ever called; undefined for a plain function, which may do anything. */
export function kindOfFunction(execute: unknown): AnswerKind | undefined {
  switch (Object.prototype.toString.call(execute)) {
    case "[object AsyncFunction]":
      return "promise";
    case "[object AsyncGeneratorFunction]":
      return "async-generator";
    case "[object GeneratorFunction]":
      return "generator";
    default:
      return undefined;
  }
}

/**
 * Answers a refused call in the way in which the executor answers: throws or rejects with the error, or returns what
 * `onRejected` gives. A hook that fails is told once, and the error is thrown in its place.
 */
export function answerRejected(
  error: ToolInputError,
  kind: AnswerKind | undefined,
  onRejected: (() => unknown) | undefined,
): unknown {
  const given =
    onRejected &&
    guarded(
      "onRejected",
      "the hook onRejected threw, so the error is thrown",
      () => ({ value: onRejected() }),
      undefined,
    );
  switch (kind) {
    case "promise":
      return given ? Promise.resolve(given.value) : Promise.reject(error);
    case "async-generator":
      return asyncAnswer(given, error);
    case "generator":
      return syncAnswer(given, error);
    default:
      if (given) return given.value;
      throw error;
  }
}

async function* asyncAnswer(given: { value: unknown } | undefined, error: ToolInputError): AsyncGenerator<unknown> {
  if (!given) throw error;
  yield await given.value;
}

function* syncAnswer(given: { value: unknown } | undefined, error: ToolInputError): Generator<unknown> {
  if (!given) throw error;
  yield given.value;
}
