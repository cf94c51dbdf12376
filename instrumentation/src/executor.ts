import { answerRejected, kindOfFunction } from "./calls/answer-rejected.ts";
import { createCallRecorder, type RecordedCall } from "./calls/call-recorder.ts";
import { refusal } from "./calls/classify.ts";
import { nearestName } from "./calls/nearest-name.ts";
import { answerKind, watchResult } from "./calls/watch.ts";
import { rejectionText } from "./errors/rejection-text.ts";
import { ToolInputError } from "./errors/tool-input-error.ts";
import { guarded, reportOnce } from "./guard.ts";
import { runInside } from "./runs/context.ts";
import type { Executor, ExecutorOptions } from "./types.ts";
import type { Validation } from "./validation/validate.ts";

type Refused = Extract<Validation, { opinion: "rejected" }>;

/**
 * Wraps the function that runs one tool call: every call gets an `execute_tool` span that says whether its arguments
 * were right, and none of their content. Signature, types, `this`, results and errors stay as they are.
 *
 * Nothing of ours disturbs the host: where recording fails, the call goes on with exactly what it would have got.
 *
 * @param execute your function: it may return a value, a promise, a generator, or throw
 * @throws TypeError only at once, where `execute` is no function
 *
 * @example
 * const execute = instrumentExecutor(runTool, { tools });
 * await execute({ name: "book", arguments: '{"start":"2026-01-15"}', id: "call_1" });
 */
export function instrumentExecutor<F extends Executor>(execute: F, options: ExecutorOptions<F> = {}): F {
  if (typeof execute !== "function") {
    throw new TypeError(
      `instrumentExecutor needs the function that runs one tool call as its first argument, and got ${typeof execute}; ` +
        "for example instrumentExecutor(async (call) => tools[call.name](call.arguments), { tools })",
    );
  }
  const loose = (options ?? {}) as unknown as ExecutorOptions;
  const begin = guarded(
    "wrap",
    "an executor's options cannot be read, so its calls are not recorded",
    () => createCallRecorder(loose),
    () => undefined,
  );
  const { mode, onRejected }: Answering = guarded(
    "options",
    "an executor's options cannot be read",
    () => readAnswering(loose),
    {},
  );
  const enforced = mode === "enforce";
  if (mode !== undefined && mode !== null && mode !== "observe" && !enforced) {
    reportOnce("mode", 'the option mode must be "observe" or "enforce"; calls are observed');
  }
  let kind = guarded("kind", "a function cannot be read", () => kindOfFunction(execute), undefined);

  function run(self: unknown, args: readonly unknown[], call: RecordedCall): unknown {
    let result: unknown;
    try {
      result = runInside(call.context, () => Reflect.apply(execute as () => unknown, self, args));
    } catch (error) {
      call.threw(error);
      throw error;
    }
    kind ??= guarded("answer", "an answer could not be read", () => answerKind(result), undefined);
    return guarded("watch", "an answer could not be watched", () => watchResult(result, call), result);
  }

  function refuse(self: unknown, args: readonly unknown[], call: RecordedCall, refused: Refused): unknown {
    const error = guarded(
      "refuse",
      "a call could not be refused, so it is run",
      () => rejectionError(call, refused),
      undefined,
    );
    if (!error) return run(self, args, call);
    call.rejected(refused);
    return answerRejected(error, kind, onRejected && (() => onRejected(error, ...args)));
  }

  function enforce(self: unknown, args: readonly unknown[], call: RecordedCall): unknown {
    const { validation } = call;
    if (!(validation instanceof Promise)) {
      return validation.opinion === "rejected" ? refuse(self, args, call, validation) : run(self, args, call);
    }
    const decide = (settled: Validation) =>
      settled.opinion === "rejected" ? refuse(self, args, call, settled) : run(self, args, call);
    if (kind === undefined || kind === "promise") return validation.then(decide);
    if (kind === "async-generator") {
      // Watched as well, for whoever closes it before its first step.
      return watchResult(delegate(validation.then(decide) as Promise<AsyncGenerator>), call);
    }
    reportOnce(
      "enforce-async",
      "a schema that validates with a promise cannot be enforced on an executor that is none",
    );
    return run(self, args, call);
  }

  function instrumented(this: unknown, ...args: readonly unknown[]): unknown {
    const call = guarded("call", "a call could not be recorded", () => begin(args), undefined);
    if (!call) return Reflect.apply(execute as () => unknown, this, args);
    return enforced ? enforce(this, args, call) : run(this, args, call);
  }

  return dressAs(execute, instrumented) as unknown as F;
}

/** How calls are answered. */
interface Answering {
  readonly mode?: ExecutorOptions["mode"];
  readonly onRejected?: ((error: ToolInputError, ...args: readonly unknown[]) => unknown) | undefined;
}

function readAnswering({ mode, onRejected }: ExecutorOptions): Answering {
  return { mode, onRejected: onRejected as Answering["onRejected"] };
}

async function* delegate(generator: Promise<AsyncGenerator>): AsyncGenerator {
  return yield* await generator;
}

function rejectionError(call: RecordedCall, validation: Refused): ToolInputError {
  const toolNames = call.tools?.names() ?? [];
  const requested = call.call.name;
  const nearest = validation.failureClass === "unknown_tool" ? nearestName(requested, toolNames) : undefined;
  const message = rejectionText({
    validation,
    requested,
    raw: call.call.arguments,
    tool: call.tool,
    toolNames,
    nearest,
  });
  const [primary] = validation.reasons;
  return new ToolInputError(
    {
      message,
      parameter: primary && primary.keys.length > 0 ? primary.keys.join(".") : undefined,
      category: primary?.category,
      failureClass: validation.failureClass,
    },
    refusal(validation).fingerprints[0],
  );
}

/** Name, length and own properties of a function stay visible through its wrapper. */
function dressAs<F extends object>(original: F, wrapper: object): object {
  return guarded(
    "dress",
    "a function's properties cannot be copied",
    () => {
      const { prototype: _, ...properties } = Object.getOwnPropertyDescriptors(original) as PropertyDescriptorMap;
      return Object.defineProperties(wrapper, properties);
    },
    wrapper,
  );
}
