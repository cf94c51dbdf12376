import fc from "fast-check";
import type { CountedCall, CountedRun } from "../../../analytics/episodes/count.ts";
import type { LinkSettings, LinkTurn, Verdict } from "../../../analytics/episodes/types.ts";

/** A class with the verdicts that METRICS.md allows for it. */
const outcomes: readonly { failureClass: string | null; hasResult: boolean; verdict: Verdict }[] = [
  ...["malformed", "schema", "schema", "tool_input"].map((failureClass) => result(failureClass, "rejected")),
  ...["execution", "timeout", "output_invalid"].map((failureClass) => result(failureClass, "accepted")),
  ...["denied", "cancelled", "unclassified"].map((failureClass) => result(failureClass, "unknown")),
  result("denied", "accepted"),
  result(null, "accepted"),
  result(null, "accepted"),
  { failureClass: null, hasResult: false, verdict: "unknown" },
  { failureClass: null, hasResult: false, verdict: "accepted" },
];

function result(failureClass: string | null, verdict: Verdict) {
  return { failureClass, hasResult: true, verdict };
}

const tokens = fc.option(fc.integer({ min: 0, max: 10_000 }));
const milliseconds = fc.option(fc.double({ min: 0, max: 10_000, noNaN: true }));

const turnUsage = fc.record({
  model: fc.constantFrom("one", "other", null),
  inputTokens: tokens,
  cachedInputTokens: tokens,
  cacheWriteTokens: tokens,
  outputTokens: tokens,
  durationMs: milliseconds,
}) satisfies fc.Arbitrary<Omit<LinkTurn, "turn">>;

/** Small pools, so that ids are reused, arguments agree and links cross. */
const call = fc.record({
  tool: fc.constantFrom("a", "a", "a", "b", "_unknown"),
  outcome: fc.constantFrom(...outcomes),
  keyId: fc.constantFrom("k1", "k1", "k1", "k2", null),
  signature: fc.constantFrom("s1", "s1", "s2", null),
  argumentDigests: fc.option(fc.subarray(["*=1", "*=2", "x=1", "x=2", "y=1", "y=2"])),
  callId: fc.constantFrom(null, "A", "B", "C"),
  repairOf: fc.constantFrom(null, null, "A", "B", "Z"),
  operationId: fc.constantFrom(null, null, null, "o1", "o2"),
  fingerprint: fc.constantFrom(null, "invalid:x:type", "invalid:$:other", "invalid:y[].z:enum"),
  retryability: fc.constantFrom(null, "as_is", "after_change"),
  delay: fc.integer({ min: 0, max: 40_000 }),
  durationMs: milliseconds,
  flags: fc.record({
    validated: fc.constantFrom(true, false, null),
    corrected: fc.constantFrom(true, false, null),
    schemaVerdict: fc.constantFrom("accepted", "rejected", null),
    turnSource: fc.constantFrom("exact", "inferred"),
    model: fc.constantFrom("one", "other", null),
  }),
});

const START = Date.parse("2026-11-03T23:58:00Z");

/** Runs of up to 7 turns with up to 4 calls each. */
export const randomRun: fc.Arbitrary<CountedRun> = fc
  .record({
    turns: fc.array(fc.tuple(turnUsage, fc.array(call, { maxLength: 4 })), { minLength: 1, maxLength: 7 }),
    ended: fc.boolean(),
    outcome: fc.constantFrom("completed", "unsuccessful", "escalated", "blocked", "exhausted", "failed", null),
    waiting: fc.boolean(),
    silence: fc.integer({ min: 0, max: 7200 }),
  })
  .map(({ turns, ended, outcome, waiting, silence }) => ({
    turns: turns.map(([usage], turn) => ({ turn, ...usage })),
    calls: turns.flatMap(([, calls], turn) => calls.map((drawn, ordinal) => callAt(turn, ordinal, drawn))),
    ...{ ended, outcome, waiting },
    lastReceivedAt: START + 300_000 + silence * 1000,
  }));

type Drawn = typeof call extends fc.Arbitrary<infer T> ? T : never;

function callAt(turn: number, ordinal: number, { tool, outcome, delay, flags, ...drawn }: Drawn): CountedCall {
  const unknownTool = tool === "_unknown";
  return {
    ...drawn,
    ...(unknownTool ? result("unknown_tool", "rejected") : outcome),
    ...flags,
    key: `${turn}:${ordinal}`,
    turn,
    ordinal,
    tool,
    linkTool: unknownTool ? "_unknown/1" : tool,
    startedAt: START + turn * 40_000 + delay,
    toolSource: null,
    schemaVersion: null,
    templateVersion: null,
    rung: null,
    agentName: null,
    environment: null,
    risk: "unstated",
    external: null,
    timed: true,
    flags: {},
  };
}

/** `E` ≤ `W`. */
export const randomSettings: fc.Arbitrary<LinkSettings> = fc
  .record({
    linkWindow: fc.integer({ min: 1, max: 3 }),
    eventualPart: fc.integer({ min: 0, max: 2 }),
    settleAfterSeconds: fc.constantFrom(0, 60, 3600),
    turnBasis: fc.constantFrom("model", "tool_calling"),
  })
  .map(({ eventualPart, ...settings }) => ({
    ...settings,
    eventualWindow: Math.max(1, settings.linkWindow - eventualPart),
  }));
