import {
  type ExecutorOptions,
  instrumentExecutor,
  recordRunOutcome,
  startRun,
  ToolInputError,
} from "@mulligan/instrumentation";
import * as semconv from "@mulligan/instrumentation/internal/semconv";
import { type DiagLogger, diag, type Tracer } from "@opentelemetry/api";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { attributes, KEY as key, recordSpans } from "./support/spans.ts";

const logged: string[] = [];
const log = (message: string) => void logged.push(message);
diag.setLogger({ error: log, warn: log, info() {}, debug() {}, verbose() {} } satisfies DiagLogger);
const spans = recordSpans();
beforeEach(() => void spans.take());
afterAll(() => spans.stop());

const call = { name: "book", arguments: "{}", id: "a" };
const fail = (): never => {
  throw new Error("ours");
};
const failing: Tracer = { startSpan: fail, startActiveSpan: fail };
const explosive = new Proxy({}, { get: fail, has: fail, ownKeys: fail, getOwnPropertyDescriptor: fail });

type Options = ExecutorOptions<(given: typeof call) => unknown>;
const broken: [string, Options][] = [
  ["a tracer that throws", { tracer: failing }],
  ["a call hook that throws", { call: fail }],
  ["a call hook that returns nothing", { call: () => undefined as never }],
  ["an isError hook that throws", { isError: fail }],
  ["a classifyError hook that throws", { classifyError: fail }],
  ["a clock that throws", { clock: fail }],
  ["a clock that is no clock", { clock: () => Number.NaN }],
  [
    "a schema that cannot be compiled",
    { tools: { book: { schema: { type: "no-such-type", properties: { a: { pattern: "(" } } } } } },
  ],
  ["a schema with a reference into nowhere", { tools: { book: { schema: { $ref: "#/$defs/none" } } } }],
  ["a schema that throws when it is read", { tools: { book: { schema: explosive } } }],
  [
    "a validator that throws",
    { tools: { book: { schema: { "~standard": { version: 1, vendor: "x", validate: fail } } } } },
  ],
  [
    "a validator that rejects",
    { tools: { book: { schema: { "~standard": { version: 1, vendor: "x", validate: async () => fail() } } } } },
  ],
  ["tools that throw when they are read", { tools: explosive }],
  ["a tool definition that is none", { tools: { book: null as never } }],
  ["a key of the wrong kind", { key: 7 as never }],
  ["a short key", { key: "short" }],
  ["a mode that is none", { mode: "both" as never }],
];

describe.each(["observe", "enforce"] as const)("in %s mode nothing of ours disturbs the host", (mode) => {
  test.each(broken)("%s", async (title, options) => {
    const result = { fine: true };
    const error = new Error("the host's own");
    let ran = 0;
    const make = (answer: () => unknown) =>
      instrumentExecutor(
        (_call: typeof call): unknown => {
          ran++;
          return answer();
        },
        { key, mode, ...options },
      );
    // A tool list without the tool refuses its calls in enforce mode, which is right.
    if (mode === "enforce" && title === "a tool definition that is none") return;
    expect(await make(() => result)(call)).toBe(result);
    await expect(Promise.resolve().then(() => make(() => Promise.reject(error))(call))).rejects.toBe(error);
    await expect(
      Promise.resolve().then(() =>
        make(() => {
          throw error;
        })(call),
      ),
    ).rejects.toBe(error);
    expect(ran).toBe(3);
  });
});

test("a schema that cannot be used leaves the call unchecked, and is told once", () => {
  const schema = { type: "no-such-type" };
  const execute = instrumentExecutor((_call: typeof call) => 1, { key, tools: { once_only: { schema } } });
  const before = logged.length;
  for (let count = 0; count < 3; count++) execute({ ...call, name: "once_only" });
  for (const span of spans.take()) {
    expect(attributes(span)[semconv.ATTR_CALL_VALIDATED]).toBe(false);
    expect(attributes(span)[semconv.ATTR_CALL_VERDICT]).toBe("accepted");
  }
  expect(logged.length - before).toBe(1);
});

test("an argument that is not to be read does not disturb", () => {
  const execute = instrumentExecutor((given: unknown) => given, { key });
  expect(execute(explosive)).toBe(explosive);
  expect(execute(undefined)).toBe(undefined);
  const odd = { name: "book", arguments: explosive };
  expect(execute(odd)).toBe(odd);
});

test("a run whose tracer throws still runs its work", () => {
  const run = startRun({ tracer: failing, key });
  expect(run.with(() => run.turn({ model: "m" }).with(() => "ran"))).toBe("ran");
  run.end("completed");
  const odd = startRun({ clock: fail, cohort: explosive as never, key });
  expect(odd.with(() => odd.turn().bind((value: number) => value)(7))).toBe(7);
  odd.end();
});

describe("options that are none or cannot be read never throw into the host", () => {
  const options = { null: null as never, explosive: explosive as never, text: "text" as never };

  test.each(Object.entries(options))("%s", async (_title, given) => {
    const run = startRun(given);
    const turn = run.turn(given);
    const wrapped = instrumentExecutor((got: typeof call) => got.id, given);
    expect(run.with(() => turn.with(() => wrapped(call)))).toBe("a");
    expect(run.bind(() => turn.bind(() => wrapped(call))())()).toBe("a");
    run.end("completed", given);
    recordRunOutcome("r", "completed", given);
    expect(run.turn(given).index).toBe(1);
  });

  test("what can be read is recorded all the same", () => {
    const run = startRun({
      key,
      runId: "r",
      get agent(): string {
        return fail();
      },
    });
    run.turn({ model: "m", usage: null as never });
    run.turn({ model: "m", usage: explosive as never });
    run.turn(null as never);
    run.end("completed", explosive as never);
    recordRunOutcome("r", "completed", null as never);
    const said = spans.take().map((span) => [span.name, attributes(span)[semconv.ATTR_RUN_OUTCOME]]);
    expect(said.filter(([name]) => name !== "invoke_agent")).toEqual([
      ["chat m", undefined],
      ["chat m", undefined],
      ["chat", undefined],
    ]);
    expect(said.at(-1)).toEqual(["invoke_agent", "completed"]);
  });

  test("a run ends its span whatever the details of its end are", () => {
    startRun({ key }).end("completed", explosive as never);
    expect(attributes(spans.takeOne())[semconv.ATTR_RUN_OUTCOME]).toBe("completed");
  });
});

describe("every call's span ends", () => {
  class Nameless extends Error {
    override get name(): string {
      return fail();
    }
  }
  const unreadable = { "a name that throws": new Nameless("x"), "a proxy that throws": explosive };

  test.each(Object.entries(unreadable))("%s: the call is unclassified, and the error is the host's own", (_, error) => {
    const execute = instrumentExecutor(
      (_call: typeof call) => {
        throw error;
      },
      { key },
    );
    let caught: unknown;
    try {
      execute(call);
    } catch (thrown) {
      caught = thrown;
    }
    expect(caught === error).toBe(true);
    const said = attributes(spans.takeOne());
    expect(said[semconv.ATTR_CALL_FAILURE_CLASS]).toBe("unclassified");
    expect(said[semconv.ATTR_CALL_VERDICT]).toBe("unknown");
  });

  test("with a clock that throws or tells no time, at the start or at the end", () => {
    const now = Date.now();
    for (const clocks of [
      [fail, () => now],
      [() => now, fail],
      [() => now, () => Number.NaN],
      [fail, fail],
    ]) {
      const left = [...clocks];
      const execute = instrumentExecutor((_call: typeof call) => 1, { key, clock: () => left.shift()!() });
      execute(call);
      const span = spans.takeOne();
      expect(attributes(span)[semconv.ATTR_CALL_VERDICT]).toBe("accepted");
      expect(span.endTime[0]).toBeGreaterThan(0);
    }
    const run = startRun({ key, clock: fail });
    run.turn({ model: "m" });
    run.end("completed");
    expect(spans.take().map(({ name }) => name)).toEqual(["chat m", "invoke_agent"]);
  });

  test("a ToolInputError with words that are none is told by the defaults", () => {
    const error = new ToolInputError({ retryability: "maybe" as never, failureClass: "oops" as never });
    const execute = instrumentExecutor(
      (_call: typeof call): never => {
        throw error;
      },
      { key },
    );
    expect(() => execute(call)).toThrow(error);
    expect(attributes(spans.takeOne())).toMatchObject({
      [semconv.ATTR_CALL_FAILURE_CLASS]: "tool_input",
      [semconv.ATTR_ERROR_RETRYABILITY]: "after_change",
    });
  });
});
