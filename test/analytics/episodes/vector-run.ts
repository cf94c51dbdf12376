import { readFileSync } from "node:fs";
import type { CountedCall, CountedRun } from "../../../analytics/episodes/count.ts";
import type { ContinuationResult } from "../../../analytics/episodes/settle.ts";
import type { LinkSettings, LinkTurn, Verdict } from "../../../analytics/episodes/types.ts";
import { sign } from "./sign.ts";

/** One call of a vector; `about` in the vector files says what a missing field means. */
interface VectorCall {
  turn: number;
  ordinal: number;
  tool: string;
  args?: object;
  raw?: string;
  class: string | null;
  verdict?: Verdict;
  parameter?: string;
  retryability?: string;
  call_id?: string;
  repair_of?: string;
  operation_id?: string;
  key?: string | null;
  digests?: string[];
  duration_ms?: number;
  state?: string;
  continuation?: string;
}

interface VectorUsage {
  input_tokens?: number;
  cached_input_tokens?: number;
  cache_write_tokens?: number;
  output_tokens?: number;
  duration_ms?: number;
}

export type Place = [turn: number, ordinal: number];

interface ExpectedEpisode extends Record<string, unknown> {
  kind: string;
  opening: Place;
}

export interface Vector {
  name: string;
  why: string;
  model_turns: number;
  run_ended: boolean;
  run_outcome: string | null;
  silent_seconds?: number;
  opened_seconds_ago?: number;
  turn_times?: Record<string, string>;
  settings?: { W?: number; E?: number; settle_after_seconds?: number; turn_basis?: LinkSettings["turnBasis"] };
  usage?: Record<string, VectorUsage>;
  calls: VectorCall[];
  expected: { episodes: ExpectedEpisode[] } & Record<string, unknown>;
}

export function readVectors(file: "scenarios.json" | "scenarios-more.json"): Vector[] {
  const url = new URL(`../../vectors/${file}`, import.meta.url);
  return (JSON.parse(readFileSync(url, "utf8")) as { scenarios: Vector[] }).scenarios;
}

export const NOW = Date.parse("2026-11-03T12:00:00Z");
const REJECTED = ["malformed", "schema", "unknown_tool", "tool_input"];
const ACCEPTED = ["ok", "execution", "timeout", "output_invalid"];

/** The settings that a vector is for. */
export function settingsOf({ settings = {} }: Vector): LinkSettings {
  return {
    linkWindow: settings.W ?? 2,
    eventualWindow: settings.E ?? 2,
    settleAfterSeconds: settings.settle_after_seconds ?? 3600,
    turnBasis: settings.turn_basis ?? "model",
  };
}

/** The run of a vector, as the linker would load it. */
export function runOf(vector: Vector, waiting: boolean): CountedRun {
  const run = runs.get(vector) ?? buildRun(vector);
  runs.set(vector, run);
  return { ...run, waiting };
}

/** Signing takes longer than linking, and the same vectors are linked by many copies of the source. */
const runs = new WeakMap<Vector, CountedRun>();

function buildRun(vector: Vector): CountedRun {
  return {
    turns: Array.from({ length: vector.model_turns }, (_, turn) => turnOf(turn, vector.usage?.[turn])),
    calls: vector.calls.map((call) => callOf(call, startOf(vector, call.turn))),
    ended: vector.run_ended,
    outcome: vector.run_outcome,
    waiting: false,
    lastReceivedAt: NOW - (vector.silent_seconds ?? 0) * 1000,
  };
}

/** Turns start one second apart. */
function startOf(vector: Vector, turn: number): number {
  const stated = vector.turn_times?.[turn];
  const firstTurnAt = NOW - (vector.opened_seconds_ago ?? vector.model_turns) * 1000;
  return stated === undefined ? firstTurnAt + turn * 1000 : Date.parse(stated);
}

/** What the vector's calls said of continuations, each half a second after its turn began. */
export function resultsOf(vector: Vector): ContinuationResult[] {
  return vector.calls.flatMap(({ state = null, continuation, turn, ordinal }) =>
    continuation === undefined
      ? []
      : [{ state, continuationId: continuation, endedAt: startOf(vector, turn) + 500, turn, ordinal }],
  );
}

function turnOf(turn: number, usage: VectorUsage = {}): LinkTurn {
  return {
    turn,
    model: "test-model",
    inputTokens: usage.input_tokens ?? null,
    cachedInputTokens: usage.cached_input_tokens ?? null,
    cacheWriteTokens: usage.cache_write_tokens ?? null,
    outputTokens: usage.output_tokens ?? null,
    durationMs: usage.duration_ms ?? null,
  };
}

function callOf(call: VectorCall, startedAt: number): CountedCall {
  const failureClass = call.class === "ok" ? null : call.class;
  const signed = sign(call.tool, call.raw ?? JSON.stringify(call.args), call.key ?? undefined);
  const word = failureClass === "schema" || failureClass === "tool_input" ? "invalid" : failureClass;
  return {
    key: `${call.turn}:${call.ordinal}`,
    turn: call.turn,
    ordinal: call.ordinal,
    linkTool: call.tool,
    verdict: call.verdict ?? verdictOf(call.class),
    failureClass,
    hasResult: call.class !== null,
    keyId: call.key === null ? null : signed.keyId,
    signature: signed.signature,
    argumentDigests: call.digests ?? signed.argumentDigests,
    callId: call.call_id ?? null,
    repairOf: call.repair_of ?? null,
    operationId: call.operation_id ?? null,
    fingerprint: call.parameter === undefined ? null : `${word}:${call.parameter}:custom`,
    retryability: call.retryability ?? null,
    startedAt,
    durationMs: call.duration_ms ?? null,
    tool: failureClass === "unknown_tool" ? "_unknown" : call.tool,
    toolSource: null,
    schemaVersion: null,
    templateVersion: null,
    rung: null,
    model: "test-model",
    agentName: null,
    environment: null,
    risk: "unstated",
    external: null,
    timed: true,
    flags: {},
    validated: true,
    corrected: null,
    schemaVerdict: null,
    turnSource: "exact",
  };
}

function verdictOf(failureClass: string | null): Verdict {
  if (failureClass === null) return "unknown";
  if (REJECTED.includes(failureClass)) return "rejected";
  if (ACCEPTED.includes(failureClass)) return "accepted";
  throw new Error(`A vector must state the verdict of a call of class ${failureClass}.`);
}
