import { types } from "node:util";
import type { Context } from "@opentelemetry/api";
import { runInside } from "../runs/context.ts";

/** Told once how a call ended. None of these may throw. */
export interface CallWatcher {
  readonly context: Context;
  returned(result: unknown): void;
  threw(error: unknown): void;
  /** A result came that cannot be watched without changing it. */
  lost(): void;
}

/** How an executor answers: decides how a refused call is answered in its place. */
export type AnswerKind = "promise" | "generator" | "async-generator" | "value";

export function answerKind(result: unknown): AnswerKind {
  if (types.isPromise(result)) return "promise";
  if (types.isGeneratorObject(result)) return isAsyncGenerator(result) ? "async-generator" : "generator";
  return "value";
}

/**
 * Passes a result on, and tells the watcher how it ends. A promise is returned as the same object, with our handler
 * attached first. Generator objects are wrapped: their last yield is the result. Everything else, streams and other
 * async iterables too, passes by identity.
 */
export function watchResult<T>(result: T, watcher: CallWatcher): T {
  if (types.isPromise(result)) {
    watchPromise(result, watcher);
    return result;
  }
  if (types.isGeneratorObject(result)) return wrapGenerator(result as Generator | AsyncGenerator, watcher) as T;
  // Asking a foreign thenable for its value may start its work a second time (lazy queries do that).
  if (isThenable(result)) watcher.lost();
  else watcher.returned(result);
  return result;
}

function watchPromise(promise: Promise<unknown>, watcher: CallWatcher): void {
  // A subclass with a `then` of its own may be lazy as well.
  if (promise.then === Promise.prototype.then) {
    promise.then(
      (value) => watcher.returned(value),
      (error) => watcher.threw(error),
    );
  } else {
    watcher.lost();
  }
}

function isThenable(value: unknown): boolean {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  try {
    return typeof (value as { then?: unknown }).then === "function";
  } catch {
    return false;
  }
}

function isAsyncGenerator(value: object): boolean {
  return Symbol.asyncIterator in value;
}

/** An object with the generator's own prototype, whose steps run inside the call's context. */
function wrapGenerator(generator: Generator | AsyncGenerator, watcher: CallWatcher): Generator | AsyncGenerator {
  const isAsync = isAsyncGenerator(generator);
  let last: { value: unknown } | undefined;
  let started = false;
  const see = (step: IteratorResult<unknown>) => {
    if (!step.done) last = { value: step.value };
    else watcher.returned(last ? last.value : step.value);
  };
  const advance = (name: "next" | "return" | "throw") => ({
    configurable: true,
    writable: true,
    value: (...given: [unknown]) => {
      // Closed before its first step, a generator's body never runs.
      if (name === "next") started = true;
      else if (!started) watcher.lost();
      let step: unknown;
      try {
        step = runInside(watcher.context, () => Reflect.apply(generator[name], generator, given));
      } catch (error) {
        watcher.threw(error);
        throw error;
      }
      if (!isAsync) see(step as IteratorResult<unknown>);
      else (step as Promise<IteratorResult<unknown>>).then(see, (error) => watcher.threw(error));
      return step;
    },
  });
  return Object.create(Object.getPrototypeOf(generator) as object, {
    next: advance("next"),
    return: advance("return"),
    throw: advance("throw"),
  }) as Generator | AsyncGenerator;
}
