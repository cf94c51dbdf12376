import { Readable } from "node:stream";
import { instrumentExecutor } from "@mulligan/instrumentation";
import * as semconv from "@mulligan/instrumentation/internal/semconv";
import { context, trace } from "@opentelemetry/api";
import { afterAll, beforeEach, describe, expect, expectTypeOf, test } from "vitest";
import { key, right, tools } from "./support/booking.ts";
import { attributes, isError, recordSpans } from "./support/spans.ts";

const spans = recordSpans();
beforeEach(() => void spans.take());
afterAll(() => spans.stop());

describe("results and errors pass through untouched", () => {
  test("a value, by identity, with the same this and arguments", () => {
    const result = { rows: [1] };
    const service = {
      seen: [] as unknown[],
      execute: instrumentExecutor(
        function (this: { seen: unknown[] }, ...args: [call: typeof right, extra: number]) {
          this.seen.push(...args);
          return result;
        },
        { tools, key },
      ),
    };
    expect(service.execute(right, 7)).toBe(result);
    expect(service.seen[0]).toBe(right);
    expect(service.seen[1]).toBe(7);
    expect(attributes(spans.takeOne())[semconv.ATTR_CALL_VERDICT]).toBe("accepted");
  });

  test("a promise, the same object, and our handler runs first", async () => {
    let answer: (value: string) => void = () => {};
    const promise = new Promise<string>((resolve) => {
      answer = resolve;
    });
    const returned = instrumentExecutor((_call: typeof right) => promise, { tools, key })(right);
    expect(returned).toBe(promise);
    const endedWhenHostSawIt = returned.then(() => spans.take().length);
    answer("done");
    expect(await endedWhenHostSawIt).toBe(1);
  });

  test("a thrown error and a rejection, by identity, whatever was thrown", async () => {
    for (const error of [new Error("x"), "text", undefined, null, 7]) {
      const throwing = instrumentExecutor(
        (_call: typeof right): string => {
          throw error;
        },
        { tools, key },
      );
      let caught: unknown = "nothing";
      try {
        throwing(right);
      } catch (thrown) {
        caught = thrown;
      }
      expect(caught).toBe(error);
      const rejecting = instrumentExecutor(async (_call: typeof right) => Promise.reject(error), { tools, key });
      expect(await rejecting(right).catch((thrown: unknown) => ({ thrown }))).toEqual({ thrown: error });
      expect(spans.take().map(isError)).toEqual([true, true]);
    }
  });

  test("an async generator: yields by identity, the last one is the result, the body runs inside the call's span", async () => {
    const parts = [{ part: 1 }, { isError: true }];
    let inside: string | undefined;
    const execute = instrumentExecutor(
      async function* (_call: typeof right) {
        inside = trace.getActiveSpan()?.spanContext().spanId;
        yield* parts;
        return "returned";
      },
      { tools, key },
    );
    const generator = execute(right);
    expect(Object.prototype.toString.call(generator)).toBe("[object AsyncGenerator]");
    const seen: unknown[] = [];
    let step = await generator.next();
    while (!step.done) {
      seen.push(step.value);
      step = await generator.next();
    }
    expect(seen[0]).toBe(parts[0]);
    expect(seen[1]).toBe(parts[1]);
    expect(step.value).toBe("returned");
    const span = spans.takeOne();
    expect(span.spanContext().spanId).toBe(inside);
    expect(isError(span)).toBe(true);
  });

  test("a generator: stopping early ends the call, throwing inside fails it", () => {
    const execute = instrumentExecutor(
      function* (call: typeof right & { fail?: boolean }) {
        yield 1;
        if (call.fail) throw new Error("late");
        yield 2;
      },
      { tools, key },
    );
    for (const value of execute(right)) {
      expect(value).toBe(1);
      break;
    }
    expect(isError(spans.takeOne())).toBe(false);
    expect(() => [...execute({ ...right, fail: true })]).toThrow("late");
    expect(isError(spans.takeOne())).toBe(true);
  });

  test("a generator that is closed before its first step never ran: its verdict is unknown", async () => {
    let ran = 0;
    const sync = instrumentExecutor(
      function* (_call: typeof right) {
        yield ran++;
      },
      { tools, key },
    );
    const async = instrumentExecutor(
      async function* (_call: typeof right) {
        yield ran++;
      },
      { tools, key },
    );
    const slow = { "~standard": { version: 1 as const, vendor: "x", validate: async () => ({}) } };
    const enforced = instrumentExecutor(
      async function* (_call: typeof right) {
        yield ran++;
      },
      { tools: { book: { schema: slow } }, key, mode: "enforce" },
    );
    const error = new Error("the consumer's own");
    expect(sync(right).return(undefined)).toEqual({ done: true, value: undefined });
    expect(await async(right).return(undefined)).toEqual({ done: true, value: undefined });
    expect(await enforced(right).return(undefined)).toEqual({ done: true, value: undefined });
    expect(() => sync(right).throw(error)).toThrow(error);
    await expect(async(right).throw(error)).rejects.toBe(error);
    const verdicts = spans.take().map((span) => attributes(span)[semconv.ATTR_CALL_VERDICT]);
    expect([ran, verdicts]).toEqual([0, Array.from({ length: 5 }, () => "unknown")]);
    for await (const value of enforced(right)) expect(value).toBe(0);
    expect(attributes(spans.takeOne())[semconv.ATTR_CALL_VERDICT]).toBe("accepted");
  });

  test("streams and other async iterables pass by identity", () => {
    const stream = Readable.from(["a"]);
    const iterable = { [Symbol.asyncIterator]: async function* () {} };
    for (const value of [stream, iterable, new Map(), () => 1]) {
      expect(instrumentExecutor((_call: typeof right) => value as unknown, { tools, key })(right)).toBe(value);
      expect(attributes(spans.takeOne())[semconv.ATTR_CALL_VERDICT]).toBe("accepted");
    }
    stream.destroy();
  });

  test("a foreign thenable is never asked, so that a lazy query runs once; its verdict is unknown", () => {
    let asked = 0;
    const lazy = {
      // biome-ignore lint/suspicious/noThenProperty: a lazy query builder is what this is about
      then: () => {
        asked++;
      },
    };
    class LazyPromise extends Promise<void> {
      // biome-ignore lint/suspicious/noThenProperty: a subclass may begin its work when it is asked
      override then<A, B>(...given: Parameters<Promise<void>["then"]>): Promise<A | B> {
        asked++;
        return super.then(...given) as Promise<A | B>;
      }
    }
    for (const value of [lazy, new LazyPromise(() => {})]) {
      expect(instrumentExecutor((_call: typeof right) => value as unknown, { tools, key })(right)).toBe(value);
      expect(attributes(spans.takeOne())[semconv.ATTR_CALL_VERDICT]).toBe("unknown");
    }
    expect(asked).toBe(0);
  });

  test("name, length and own properties of the function stay visible", () => {
    const original = Object.assign(async function runTool(_call: typeof right, _more: number) {}, { label: "mine" });
    const wrapped = instrumentExecutor(original, { key });
    expect([wrapped.name, wrapped.length, wrapped.label]).toEqual(["runTool", 2, "mine"]);
  });

  test("types are the same out as in", () => {
    const plain = async (call: { name: string; arguments: string }, _signal?: AbortSignal) => call.name.length;
    expectTypeOf(instrumentExecutor(plain)).toEqualTypeOf(plain);
    const generic = <T extends object>(call: { name: string; arguments: T }): T => call.arguments;
    const same: typeof generic = instrumentExecutor(generic);
    expectTypeOf(same({ name: "x", arguments: { a: 1 } })).toEqualTypeOf<{ a: number }>();
    async function* streaming(_call: { name: string }) {
      yield 1;
    }
    expectTypeOf(instrumentExecutor(streaming)).toEqualTypeOf(streaming);
    instrumentExecutor(plain, {
      call: (call, signal) => {
        expectTypeOf(call.arguments).toEqualTypeOf<string>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal | undefined>();
        return call;
      },
      isError: (length) => length > 3,
      onRejected: (error) => error.message.length,
    });
  });

  test("what is no function is refused at once, with a text that says what to pass", () => {
    // @ts-expect-error: no function
    expect(() => instrumentExecutor({ tools })).toThrow(/needs the function that runs one tool call.*for example/);
  });
});

test("an unknown tool is named neither on the span nor in its name; requested and nearest stand instead", () => {
  const execute = instrumentExecutor((_call: typeof right) => 1, { tools, key });
  execute({ ...right, name: "bok" });
  execute({ ...right, name: "quite_another_tool" });
  const [near, far] = spans.take();
  expect(near?.name).toBe("execute_tool _unknown");
  expect(attributes(near!)).toMatchObject({
    [semconv.ATTR_GEN_AI_TOOL_NAME]: "_unknown",
    [semconv.ATTR_TOOL_NEAREST]: "book",
    [semconv.ATTR_TOOL_REQUESTED]: expect.stringMatching(/^[0-9a-f]{16}$/),
  });
  expect(attributes(far!)[semconv.ATTR_TOOL_NEAREST]).toBeUndefined();
  expect(attributes(far!)[semconv.ATTR_TOOL_REQUESTED]).not.toBe(attributes(near!)[semconv.ATTR_TOOL_REQUESTED]);
});

test("the clock sets start and end, exactly, also far in the past", () => {
  const times = [1_768_435_200_000, 1_768_435_200_012.5];
  instrumentExecutor((_call: typeof right) => 1, { tools, key, clock: () => times.shift() ?? 0 })(right);
  const span = spans.takeOne();
  expect(span.startTime).toEqual([1_768_435_200, 0]);
  expect(span.endTime).toEqual([1_768_435_200, 12_500_000]);
});

test("arguments that the tool changes are signed and checked as the model wrote them", () => {
  const args = { start: "2026-01-15" };
  instrumentExecutor(
    (call: { name: string; arguments: { start: string } }) => {
      call.arguments.start = "changed";
    },
    { tools, key },
  )({ name: "book", arguments: args });
  instrumentExecutor((_call: typeof right) => 1, { tools, key })(right);
  const [changed, plain] = spans.take();
  expect(attributes(changed!)[semconv.ATTR_CALL_SIGNATURE]).toBe(attributes(plain!)[semconv.ATTR_CALL_SIGNATURE]);
  expect(attributes(changed!)[semconv.ATTR_CALL_SCHEMA_VERDICT]).toBe("accepted");
});

test("the tool's own spans are children of the call's span, and the context outside is untouched", async () => {
  const before = context.active();
  const execute = instrumentExecutor(
    async (_call: typeof right) => {
      await Promise.resolve();
      trace.getTracer("host").startSpan("inner").end();
    },
    { tools, key },
  );
  await execute(right);
  expect(context.active()).toBe(before);
  const [inner, call] = spans.take();
  expect(inner?.parentSpanContext?.spanId).toBe(call?.spanContext().spanId);
});

test("content is captured only where it is asked for, and cut", () => {
  const result = { text: "r".repeat(100_000) };
  const execute = instrumentExecutor((_call: typeof right) => result, { tools, key, captureContent: true });
  execute(right);
  const said = attributes(spans.takeOne());
  expect(said[semconv.ATTR_GEN_AI_TOOL_CALL_ARGUMENTS]).toBe(right.arguments);
  expect(said[semconv.ATTR_GEN_AI_TOOL_CALL_RESULT]).toHaveLength(32_768);
});
