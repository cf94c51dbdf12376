import { instrumentExecutor, startRun } from "@mulligan/instrumentation";
import * as semconv from "@mulligan/instrumentation/internal/semconv";
import { type EndedSpan, mulliganSpanProcessor, type SpanExporter } from "@mulligan/instrumentation/processor";
import { context, trace } from "@opentelemetry/api";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { openSink } from "./support/sink.ts";
import { attributes, KEY as key, recordSpans } from "./support/spans.ts";

const exported: EndedSpan[] = [];
const exporter: SpanExporter = {
  export(spans, done) {
    exported.push(...spans);
    done({ code: 0 });
  },
  shutdown: async () => {},
};
const processor = mulliganSpanProcessor({ exporter });
const spans = recordSpans([processor]);
beforeEach(() => void spans.take());
afterAll(() => spans.stop());

const host = trace.getTracer("host");

describe("beside an existing provider", () => {
  test("it forwards GenAI spans and those with mulligan attributes, and no others", async () => {
    const run = startRun({ runId: "r1", key });
    run.with(() => {
      host.startSpan("GET /").end();
      host.startSpan("chat m", { attributes: { "gen_ai.operation.name": "chat" } }).end();
      host.startSpan("custom", { attributes: { "mulligan.cohort.tier": "gold" } }).end();
      instrumentExecutor((_call: object) => 1, { key })({ name: "book", arguments: "{}" });
    });
    run.end();
    await processor.forceFlush();
    expect(exported.splice(0).map(({ name }) => name)).toEqual([
      "chat m",
      "custom",
      "execute_tool book",
      "invoke_agent",
    ]);
    expect(spans.take()).toHaveLength(5);
    expect(processor.counts).toMatchObject({ sent: 4, waiting: 0, dropped: 0, failed: 0 });
  });

  test("spans that start inside a run carry its id, and its turn unless they are an inference", () => {
    const run = startRun({ runId: "r2", leg: 2, key });
    run.turn({ span: false }).with(() => {
      host.startSpan("work").end();
      host.startSpan("chat m", { attributes: { "gen_ai.operation.name": "chat" } }).end();
      host.startSpan("own", { attributes: { "mulligan.run.id": "other" } }).end();
    });
    host.startSpan("outside").end();
    const said = Object.fromEntries(
      spans
        .take()
        .map((span) => [span.name, [attributes(span)[semconv.ATTR_RUN_ID], attributes(span)[semconv.ATTR_TURN_INDEX]]]),
    );
    expect(said).toEqual({
      work: ["r2", 0],
      "chat m": ["r2", undefined],
      own: ["other", 0],
      outside: [undefined, undefined],
    });
  });
});

test("url and token reach the collector", async () => {
  const sink = await openSink();
  const own = mulliganSpanProcessor({ url: `${sink.url}/v1/traces`, token: "token-1", delayMs: 3_600_000 });
  instrumentExecutor((_call: object) => 1, { key })({ name: "book", arguments: "{}" });
  own.onEnd(spans.takeOne());
  await own.forceFlush();
  expect(sink.requests).toEqual([{ url: "/v1/traces", authorization: "Bearer token-1", spans: 1 }]);
  await own.shutdown();
  await sink.close();
});

describe("the queue", () => {
  const span = (): EndedSpan => {
    host.startSpan("x", { attributes: { "gen_ai.operation.name": "chat" } }).end();
    return spans.take()[0]!;
  };

  test("never has more than a few requests under way, and sends everything on a flush", async () => {
    let now = 0;
    let most = 0;
    const slow: SpanExporter = {
      export(_spans, done) {
        most = Math.max(most, ++now);
        setImmediate(() => {
          now--;
          done({ code: 0 });
        });
      },
      shutdown: async () => {},
    };
    const own = mulliganSpanProcessor({ exporter: slow, batchSize: 10, delayMs: 3_600_000 });
    const one = span();
    for (let count = 0; count < 1_005; count++) own.onEnd(one);
    await own.forceFlush();
    expect(own.counts).toEqual({ sent: 1_005, waiting: 0, dropped: 0, failed: 0 });
    expect(most).toBeLessThanOrEqual(4);
    expect(most).toBeGreaterThan(1);
  });

  test.each([
    ["an exporter that fails", (done: (result: { code: number }) => void) => done({ code: 1 })],
    [
      "an exporter that throws",
      () => {
        throw new Error("x");
      },
    ],
  ])("%s ends the flush after a batch in each lane, and every span is accounted for", async (_title, answer) => {
    const own = mulliganSpanProcessor({
      exporter: { export: (_spans, done) => answer(done), shutdown: async () => {} },
      batchSize: 10,
      maxQueueSize: 500,
      delayMs: 3_600_000,
    });
    const one = span();
    for (let count = 0; count < 600; count++) own.onEnd(one);
    await own.forceFlush();
    const { sent, waiting, dropped, failed } = own.counts;
    expect(sent + waiting + dropped + failed).toBe(600);
    expect(failed).toBeGreaterThan(0);
    await own.shutdown();
    expect(own.counts).toMatchObject({ sent: 0, waiting: 0 });
  });

  test("spans wait for their resource, and are exported outside of the host's context", async () => {
    let ready = false;
    const seen: unknown[] = [];
    const mark = Symbol("mark");
    const own = mulliganSpanProcessor({
      exporter: {
        export(_spans, done) {
          seen.push(ready, context.active().getValue(mark));
          done({ code: 0 });
        },
        shutdown: async () => {},
      },
    });
    const resource = {
      asyncAttributesPending: true,
      waitForAsyncAttributes: async () => {
        await Promise.resolve();
        ready = true;
      },
    };
    const one = span();
    own.onEnd({ name: one.name, attributes: one.attributes, spanContext: () => one.spanContext(), resource });
    await context.with(context.active().setValue(mark, 1), () => own.forceFlush());
    expect(seen).toEqual([true, undefined]);
  });
});
