import { describe, expect, test } from "vitest";
import { assign } from "../../demo/rollout.ts";
import { SCENARIOS } from "../../demo/scenarios.ts";
import { liveRun, pastRuns, type TrafficOptions } from "../../demo/traffic.ts";

const DAY = 24 * 60 * 60 * 1000;
const START = Date.parse("2026-03-10T12:00:00Z");
const traffic = (given: Partial<TrafficOptions> = {}): TrafficOptions => ({
  ...{ scenario: SCENARIOS.healthy, seed: 1, start: START },
  ...given,
});
const runs = pastRuns(traffic(), 4_000);

test("the same seed and the same clock plan the same runs; another seed, clock or scenario other ones", () => {
  expect(pastRuns(traffic(), 4_000)).toEqual(runs);
  for (const other of [{ seed: 2 }, { start: START + 1 }, { scenario: SCENARIOS["hidden-harm"] }]) {
    const ids = new Set(pastRuns(traffic(other), 100).map(({ runId }) => runId));
    expect(runs.filter(({ runId }) => ids.has(runId))).toEqual([]);
  }
});

test("as many runs as asked for begin in order, within the fourteen days, each under an id of its own", () => {
  const times = runs.map(({ startedAt }) => startedAt);
  expect(times).toHaveLength(4_000);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(Math.min(...times)).toBeGreaterThan(START - 14.1 * DAY);
  expect(Math.max(...times)).toBeLessThan(START);
  expect(new Set(runs.map(({ runId }) => runId)).size).toBe(4_000);
  for (const count of [1, 2, 48]) expect(pastRuns(traffic(), count)).toHaveLength(count);
});

test("every one of the fourteen days has runs, a working day more than a Sunday", () => {
  const of = (day: string) => runs.filter(({ startedAt }) => new Date(startedAt).toISOString().startsWith(day)).length;
  for (let day = 0; day < 14; day += 1)
    expect(of(new Date(START - day * DAY).toISOString().slice(0, 10))).toBeGreaterThan(0);
  expect(of("2026-03-09")).toBeGreaterThan(of("2026-03-08"));
});

describe("the rollout of the error texts", () => {
  const began = START - 7 * DAY;

  test("before it all runs read the terse texts and have no arm, so that a before is visible", () => {
    const before = runs.filter(({ startedAt }) => startedAt < began);
    expect(before.length).toBeGreaterThan(500);
    expect(new Set(before.map(({ texts, arm }) => `${texts.version} ${arm}`))).toEqual(new Set(["terse-1 undefined"]));
  });

  test("since then a fifth of them reads the new ones", () => {
    const since = runs.filter(({ startedAt }) => startedAt >= began);
    const candidates = since.filter(({ arm }) => arm === "example");
    expect(candidates.length / since.length).toBeGreaterThan(0.17);
    expect(candidates.length / since.length).toBeLessThan(0.23);
    for (const { texts } of candidates) expect([texts.version, texts.rung]).toEqual(["example-2", 4]);
    for (const { arm, texts } of since) expect(arm === "control").toBe(texts.version === "terse-1");
  });

  test("a run keeps its arm whenever it is asked", () => {
    for (const { runId, startedAt, arm } of runs.slice(-200)) {
      expect(assign(SCENARIOS.healthy, runId, startedAt + DAY, START).arm).toBe(arm);
    }
  });

  test("live runs take part in it", () => {
    const arms = new Set(Array.from({ length: 100 }, (_, index) => liveRun(traffic(), START + index, index).arm));
    expect(arms).toEqual(new Set(["control", "example"]));
  });
});

test("one tool's schema changes mid-way, for every run from then on", () => {
  const first = runs.findIndex(({ release }) => release === "2");
  expect(first).toBeGreaterThan(400);
  expect(new Set(runs.slice(0, first).map(({ release }) => release))).toEqual(new Set(["1"]));
  expect(new Set(runs.slice(first).map(({ release }) => release))).toEqual(new Set(["2"]));
});
