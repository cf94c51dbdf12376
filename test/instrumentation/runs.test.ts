import { setImmediate, setTimeout } from "node:timers/promises";
import { instrumentExecutor, recordRunOutcome, startRun } from "@mulligan/instrumentation";
import * as semconv from "@mulligan/instrumentation/internal/semconv";
import { SpanKind, trace } from "@opentelemetry/api";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { attributes, KEY as key, parentOf, recordSpans } from "./support/spans.ts";

const spans = recordSpans();
beforeEach(() => void spans.take());
afterAll(() => spans.stop());

const call = (id: string) => ({ name: "book", arguments: "{}", id });
const execute = instrumentExecutor(
  async (given: { name: string; arguments: string; id: string }) => {
    await setTimeout(Math.random() * 3);
    return given.id;
  },
  { key },
);

/** Tool spans by call id: [run, turn, place, sequence]. */
function places(): Record<string, unknown[]> {
  return Object.fromEntries(
    spans
      .take()
      .filter(({ name }) => name.startsWith("execute_tool"))
      .map((span) => {
        const said = attributes(span);
        const names = [
          semconv.ATTR_RUN_ID,
          semconv.ATTR_TURN_INDEX,
          semconv.ATTR_CALL_INDEX,
          semconv.ATTR_CALL_SEQUENCE,
        ];
        return [said[semconv.ATTR_GEN_AI_TOOL_CALL_ID], names.map((name) => said[name])];
      }),
  );
}

test("a run and its turns carry what was said of them", () => {
  const clock = () => 1_768_435_200_000;
  const run = startRun({
    agent: "seller",
    agentVersion: "3",
    conversationId: "c1",
    runId: "r1",
    leg: 1,
    cohort: { tier: "gold" },
    key,
    clock,
  });
  const usage = { inputTokens: 6500, cachedInputTokens: 6000, cacheWriteTokens: 0, outputTokens: 350 };
  const turn = run.turn({
    model: "m-1",
    provider: "p",
    usage,
    durationMs: 1140,
    finishReason: "tool_calls",
    toolsOffered: 2,
  });
  run.end("exhausted", { budget: "turns" });
  const [chat, invoke] = spans.take();
  expect([run.id, turn.index, chat?.name, invoke?.name]).toEqual(["r1", 0, "chat m-1", "invoke_agent seller"]);
  expect([chat?.kind, invoke?.kind]).toEqual([SpanKind.CLIENT, SpanKind.INTERNAL]);
  expect(chat?.startTime).toEqual([1_768_435_198, 860_000_000]);
  expect(chat?.endTime).toEqual([1_768_435_200, 0]);
  expect(parentOf(chat!)).toBe(invoke?.spanContext().spanId);
  const shared = {
    "mulligan.run.id": "r1",
    "mulligan.run.leg": 1,
    "gen_ai.agent.name": "seller",
    "gen_ai.agent.version": "3",
    "gen_ai.conversation.id": "c1",
    "mulligan.cohort.tier": "gold",
  };
  expect(attributes(chat!)).toEqual({
    ...shared,
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "m-1",
    "gen_ai.provider.name": "p",
    "gen_ai.response.finish_reasons": ["tool_calls"],
    "gen_ai.usage.input_tokens": 6500,
    "gen_ai.usage.cache_read.input_tokens": 6000,
    "gen_ai.usage.cache_write.input_tokens": 0,
    "gen_ai.usage.output_tokens": 350,
    "mulligan.turn.index": 0,
    "mulligan.turn.source": "exact",
    "mulligan.turn.duration_ms": 1140,
    "mulligan.turn.tools_offered": 2,
  });
  expect(attributes(invoke!)).toEqual({
    ...shared,
    "gen_ai.operation.name": "invoke_agent",
    "mulligan.run.outcome": "exhausted",
    "mulligan.run.budget": "turns",
  });
});

describe("calls find their run and turn", () => {
  test("in parallel, over two runs at once", async () => {
    const work = async (id: string) => {
      const run = startRun({ runId: id, key });
      for (const index of [0, 1, 2]) {
        const turn = run.turn({ model: "m" });
        await turn.with(() => Promise.all(["a", "b"].map((name) => execute(call(`${id}${index}${name}`)))));
      }
      run.end("completed");
    };
    await Promise.all([work("r"), work("s")]);
    const found = places();
    expect(Object.keys(found)).toHaveLength(12);
    for (const [id, [run, turn, place, sequence]] of Object.entries(found)) {
      expect(`${run}${turn}${["a", "b"][place as number]}`).toBe(id);
      expect(sequence).toBe((turn as number) * 2 + (place as number));
    }
  });

  test("tool spans are children of their turn's span, which is a child of the run's", async () => {
    const run = startRun({ key });
    await run.turn({ model: "m" }).with(() => execute(call("a")));
    run.end();
    const [chat, tool, invoke] = spans.take();
    expect(parentOf(tool!)).toBe(chat?.spanContext().spanId);
    expect(parentOf(chat!)).toBe(invoke?.spanContext().spanId);
  });

  test("from a worker pool that was started outside, through turn.bind", async () => {
    const queue: (() => Promise<unknown>)[] = [];
    const worker = async () => {
      for (;;) {
        await setImmediate();
        const job = queue.shift();
        if (!job) return;
        await job();
      }
    };
    const run = startRun({ runId: "pool", key });
    const first = run.turn({ span: false });
    queue.push(
      first.bind(() => execute(call("a"))),
      first.bind(() => execute(call("b"))),
    );
    const second = run.turn({ span: false });
    queue.push(second.bind(() => execute(call("c"))));
    await Promise.all([worker(), worker()]);
    expect(places()).toEqual({ a: ["pool", 0, 0, 0], b: ["pool", 0, 1, 1], c: ["pool", 1, 0, 2] });
  });

  test("after timers", async () => {
    const run = startRun({ runId: "timer", key });
    await run.turn({ span: false }).with(async () => {
      await setTimeout(2);
      await execute(call("a"));
    });
    expect(places()).toEqual({ a: ["timer", 0, 0, 0] });
  });

  test("in a plain loop inside run.with: the latest turn is the current one", async () => {
    const run = startRun({ runId: "loop", key });
    await run.with(async () => {
      run.turn({ model: "m" });
      await execute(call("a"));
      run.turn({ model: "m" });
      await execute(call("b"));
    });
    expect(places()).toEqual({ a: ["loop", 0, 0, 0], b: ["loop", 1, 0, 1] });
  });

  test("an engine's retry of a call keeps its place; the place and index that the host states count", async () => {
    const run = startRun({ runId: "retry", key });
    const turn = run.turn({ span: false, index: 7 });
    await turn.with(async () => {
      await execute(call("a"));
      await execute(call("a"));
      await execute(call("b"));
    });
    const indexes = spans.take().map((span) => attributes(span)[semconv.ATTR_CALL_INDEX]);
    expect(indexes).toEqual([0, 0, 1]);
    expect([turn.index, run.turn({ span: false }).index]).toEqual([7, 8]);
  });

  test("calls that share an id are one call only where one repeats the other after it ended", async () => {
    const proposal = (city: string) => ({ name: "weather", arguments: JSON.stringify({ city }), id: "weather" });
    const gates = Array.from({ length: 6 }, () => Promise.withResolvers<void>());
    let begun = 0;
    const gated = instrumentExecutor((_call: object) => gates[begun++]!.promise, { key });
    await startRun({ key })
      .turn({ span: false })
      .with(async () => {
        const parallel = ["Paris", "Rome", "Oslo", "Oslo"].map((city) => gated(proposal(city)));
        gates[1]!.reject(new Error("refused"));
        await parallel[1]!.catch(() => {});
        const retried = gated(proposal("Rome"));
        for (const gate of gates) gate.resolve();
        await Promise.allSettled([...parallel, retried]);
        await gated(proposal("Bern"));
      });
    const found = spans.take().map((span) => attributes(span));
    const placed = found.map((said) => [said[semconv.ATTR_CALL_SEQUENCE], said[semconv.ATTR_CALL_INDEX]]);
    expect(Object.fromEntries(placed)).toEqual({ 0: 0, 1: 1, 2: 2, 3: 3, 4: 1, 5: 4 });
    expect(new Set(found.map((said) => said[semconv.ATTR_GEN_AI_TOOL_CALL_ID]))).toEqual(new Set(["weather"]));
  });

  test("the model's cut-off answer makes malformed arguments truncated", async () => {
    const refusing = instrumentExecutor(async (_call: object) => Promise.reject(new Error("x")), { key });
    for (const finishReason of ["length", "tool_calls"]) {
      const turn = startRun({ key }).turn({ span: false, finishReason });
      await turn.with(() => refusing({ name: "book", arguments: '{"a' })).catch(() => {});
    }
    expect(spans.take().map((span) => attributes(span)[semconv.ATTR_ERROR_FINGERPRINT])).toEqual([
      "malformed:$:truncated",
      "malformed:$:malformed_json",
    ]);
  });
});

test("a run that is started inside a tool call has that call as parent, and calls of its own", async () => {
  const delegate = instrumentExecutor(
    async (_call: ReturnType<typeof call>) => {
      const inner = startRun({ runId: "inner", key });
      await inner.turn({ span: false }).with(() => execute(call("deep")));
      await inner.with(() => execute(call("deep2")));
      inner.end("completed");
    },
    { key },
  );
  const outer = startRun({ runId: "outer", key });
  outer.turn({ span: false });
  await outer.turn({ span: false }).with(() => delegate(call("outside")));
  outer.end("completed");
  const all = spans.take();
  const inner = all.find((span) => attributes(span)[semconv.ATTR_RUN_PARENT_ID] !== undefined);
  expect(attributes(inner!)).toMatchObject({
    "mulligan.run.id": "inner",
    "mulligan.run.parent_id": "outer",
    "mulligan.run.parent_call_id": "outside",
  });
  const byId = (id: string) =>
    attributes(all.find((span) => attributes(span)[semconv.ATTR_GEN_AI_TOOL_CALL_ID] === id)!);
  expect(byId("outside")).toMatchObject({ "mulligan.run.id": "outer", "mulligan.turn.index": 1 });
  expect(byId("deep")).toMatchObject({ "mulligan.run.id": "inner", "mulligan.turn.index": 0 });
  expect(byId("deep2")).toMatchObject({
    "mulligan.run.id": "inner",
    "mulligan.turn.index": 0,
    "mulligan.call.index": 1,
  });
});

describe("without startRun", () => {
  test("inside somebody's span no run id is put: the collector takes the enclosing span or the trace", async () => {
    await trace.getTracer("host").startActiveSpan("request", async (span) => {
      await execute(call("a"));
      span.end();
    });
    const [tool] = spans.take();
    expect(attributes(tool!)[semconv.ATTR_RUN_ID]).toBeUndefined();
    expect(attributes(tool!)[semconv.ATTR_TURN_SOURCE]).toBeUndefined();
  });

  test("outside of every span a wrapped executor is one run, until five minutes of silence or 500 calls", () => {
    let now = 1_768_435_200_000;
    const wrapped = instrumentExecutor((_call: object) => 1, { key, clock: () => now });
    const other = instrumentExecutor((_call: object) => 1, { key, clock: () => now });
    const runOf = (executor: typeof wrapped) => {
      executor(call("a"));
      return attributes(spans.takeOne());
    };
    const first = runOf(wrapped);
    now += 299_000;
    const second = runOf(wrapped);
    expect(second[semconv.ATTR_RUN_ID]).toBe(first[semconv.ATTR_RUN_ID]);
    expect([first, second].map((said) => said[semconv.ATTR_CALL_SEQUENCE])).toEqual([0, 1]);
    expect(runOf(other)[semconv.ATTR_RUN_ID]).not.toBe(first[semconv.ATTR_RUN_ID]);
    now += 301_000;
    const third = runOf(wrapped);
    expect(third[semconv.ATTR_RUN_ID]).not.toBe(first[semconv.ATTR_RUN_ID]);
    for (let count = 1; count < 500; count++)
      expect(runOf(wrapped)[semconv.ATTR_RUN_ID]).toBe(third[semconv.ATTR_RUN_ID]);
    expect(runOf(wrapped)[semconv.ATTR_RUN_ID]).not.toBe(third[semconv.ATTR_RUN_ID]);
  });
});

describe("outcomes", () => {
  test("recordRunOutcome is a zero-length invoke_agent span", () => {
    recordRunOutcome("r1", "escalated", { key, agent: "seller", clock: () => 1_768_435_200_000 });
    const span = spans.takeOne();
    expect(span.name).toBe("invoke_agent seller");
    expect(span.startTime).toEqual(span.endTime);
    expect(attributes(span)).toEqual({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "seller",
      "mulligan.run.id": "r1",
      "mulligan.run.outcome": "escalated",
    });
  });

  test("a word that is no outcome is not thrown and not recorded", () => {
    const run = startRun({ key });
    run.end("the customer said secret" as "completed", { budget: "a secret text" });
    recordRunOutcome("r1", "secret" as "completed", { key });
    expect(attributes(spans.takeOne())[semconv.ATTR_RUN_OUTCOME]).toBeUndefined();
  });

  test("a second end with an outcome is a later report; without one it is nothing", () => {
    const run = startRun({ key, runId: "twice" });
    run.end();
    run.end();
    run.end("completed");
    const [first, second] = spans.take();
    expect(attributes(first!)[semconv.ATTR_RUN_OUTCOME]).toBeUndefined();
    expect(attributes(second!)).toMatchObject({ "mulligan.run.id": "twice", "mulligan.run.outcome": "completed" });
  });
});

test("an id that looks like content is replaced by a keyed digest, the same everywhere under one key", () => {
  const ids = ["please book a flight for Ana", "x".repeat(129)];
  for (const runId of ids) {
    const run = startRun({ runId, key });
    run.end();
    recordRunOutcome(runId, "completed", { key });
    const [ended, outcome] = spans.take().map((span) => attributes(span)[semconv.ATTR_RUN_ID]);
    expect(ended).toMatch(/^[0-9a-f]{16}$/);
    expect(outcome).toBe(ended);
    expect(run.id).toBe(ended);
  }
});

test("numbers that cannot be are left out, never 0", () => {
  const run = startRun({ key, leg: -1 });
  run.turn({
    usage: { inputTokens: -1, outputTokens: Number.NaN, cachedInputTokens: 1.5 },
    durationMs: Number.NaN,
    index: -3,
  });
  const said = Object.keys(attributes(spans.takeOne()));
  expect(said.filter((name) => name.includes("usage") || name.includes("duration") || name.includes("leg"))).toEqual(
    [],
  );
});
