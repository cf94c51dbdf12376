/** The demo's agents by their spans: the real SDK, with a processor that keeps what ends. */

import { setTimeout as pause } from "node:timers/promises";
import { context, type Tracer } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { type ReadableSpan, TracerProvider } from "@opentelemetry/sdk-trace";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRunner, type Runner } from "../../demo/runner.ts";
import { SCENARIOS } from "../../demo/scenarios.ts";

const START = Date.parse("2026-03-10T12:00:00Z");
const KEY = "a key of at least sixteen bytes";
const never = new AbortController().signal;

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => context.disable());

interface Kept {
  readonly runner: Runner;
  readonly spans: ReadableSpan[];
}

function keeping(seed: number): Kept {
  const spans: ReadableSpan[] = [];
  const tracers = new Map<string, Tracer>();
  for (const environment of ["production", "staging"]) {
    const provider = new TracerProvider({
      spanProcessors: [
        { onStart() {}, onEnd: (span) => spans.push(span), forceFlush: async () => {}, shutdown: async () => {} },
      ],
    });
    tracers.set(environment, provider.getTracer("test"));
  }
  const telemetry = { tracer: (environment: string) => tracers.get(environment)!, room: async () => {} };
  return { spans, runner: createRunner({ scenario: SCENARIOS.healthy, seed, start: START, telemetry, key: KEY }) };
}

/** All that spans say but their random ids. */
const said = (spans: readonly ReadableSpan[]) =>
  spans.map(({ name, startTime, endTime, attributes, status }) => ({ name, startTime, endTime, attributes, status }));

test("the same seed and the same clock make the same runs, to the last attribute; another seed others", async () => {
  const [one, same, other] = [keeping(3), keeping(3), keeping(4)];
  for (const { runner } of [one, same, other]) await runner.past(120, never, () => {});
  expect(one.spans.length).toBeGreaterThan(600);
  expect(said(same.spans)).toEqual(said(one.spans));
  expect(said(other.spans)).not.toEqual(said(one.spans));
});

test("calls of one turn run at the same time, and no span of the past ends after the demo's start", async () => {
  const { runner, spans } = keeping(5);
  await runner.past(120, never, () => {});
  const places = spans.filter(({ attributes }) => Number(attributes["mulligan.call.index"] ?? 0) > 0);
  expect(places.length).toBeGreaterThan(5);
  for (const { endTime } of spans) expect(endTime[0] * 1_000).toBeLessThanOrEqual(START);
});

test("no argument, result or error text stands on a span", async () => {
  const { runner, spans } = keeping(6);
  await runner.past(200, never, () => {});
  const all = JSON.stringify(said(spans));
  for (const content of ["ord_", "exp_", "Euro", "2025-", "January", "ValueError", "Send {", "forum.example"]) {
    expect(all).not.toContain(content);
  }
  expect(spans.flatMap(({ events }) => events)).toEqual([]);
});

test("progress is told for every run, and a stopped demo begins no further one", async () => {
  const stopping = new AbortController();
  const told: number[] = [];
  await keeping(7).runner.past(50, stopping.signal, (done) => {
    told.push(done);
    if (done === 10) stopping.abort();
  });
  expect(told).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test("live runs begin in real time, and those under way end without an outcome when the demo is stopped", async () => {
  const { runner, spans } = keeping(8);
  const stopping = new AbortController();
  const begun = Date.now();
  const live = runner.live(() => new Date(), stopping.signal);
  await pause(1_500);
  stopping.abort();
  await live;
  expect(Date.now() - begun).toBeLessThan(10_000);
  const runs = spans.filter(({ name }) => name.startsWith("invoke_agent"));
  expect(runs).toHaveLength(1);
  expect(runs[0]!.attributes["mulligan.run.outcome"]).toBeUndefined();
  expect(runs[0]!.startTime[0] * 1_000).toBeGreaterThan(begun - 2_000);
});
