import { type LinkedEpisode, lastTurn } from "./link.ts";
import type { AttributedUsage, LinkRun, LinkTurn } from "./types.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * What the episodes of one kind cost, in their order (METRICS.md section 4): every model turn's usage is handed out at
 * most once. Of a turn in which `a` of its `n` calls are attempts, `a/n` goes to their episodes; a turn without one
 * that lies strictly inside `k` episodes is handed out whole, to those `k`.
 *
 * @param episodes all of one kind; costs of different kinds are never summed.
 */
export function attribute(run: LinkRun, episodes: readonly LinkedEpisode[]): AttributedUsage[] {
  const usages = episodes.map(nothing);
  const callsIn = Map.groupBy(run.calls, (call) => call.turn);
  const attemptsIn = new Map<number, number[]>();
  const wanderedIn = new Map<number, number[]>();
  for (const [index, episode] of episodes.entries()) {
    for (const { call } of episode.attempts) push(attemptsIn, call.turn, index);
    for (let turn = episode.opening.turn + 1; turn < lastTurn(episode); turn++) push(wanderedIn, turn, index);
  }

  for (const turn of run.turns.toSorted((a, b) => a.turn - b.turn)) {
    const attempts = attemptsIn.get(turn.turn);
    const takers = attempts ?? wanderedIn.get(turn.turn) ?? [];
    const among = attempts === undefined ? takers.length : (callsIn.get(turn.turn)?.length ?? 0);
    for (const index of takers) handOut(usages[index], turn, among);
  }
  for (const [index, { attempts }] of episodes.entries()) {
    for (const { call } of attempts) {
      // A rejected call ran nothing: its span is the validation that the model waited for.
      if (call.verdict === "rejected") add(usages[index], "durationMs", call.durationMs, 1);
    }
  }
  return usages;
}

function handOut(usage: Mutable<AttributedUsage> | undefined, turn: LinkTurn, among: number): void {
  if (usage === undefined) return;
  usage.modelTurns += 1 / among;
  usage.shares++;
  if (turn.inputTokens !== null) usage.sharesWithInputTokens++;
  if (turn.outputTokens !== null) usage.sharesWithOutputTokens++;
  for (const field of USAGE) add(usage, field, turn[field], among);
}

const USAGE = ["inputTokens", "cachedInputTokens", "cacheWriteTokens", "outputTokens", "durationMs"] as const;

function add(
  usage: Mutable<AttributedUsage> | undefined,
  field: (typeof USAGE)[number],
  value: number | null,
  among: number,
): void {
  if (usage === undefined || value === null) return;
  usage[field] = (usage[field] ?? 0) + value / among;
}

function push(map: Map<number, number[]>, key: number, value: number): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

function nothing(): Mutable<AttributedUsage> {
  return {
    modelTurns: 0,
    inputTokens: null,
    cachedInputTokens: null,
    cacheWriteTokens: null,
    outputTokens: null,
    durationMs: null,
    shares: 0,
    sharesWithInputTokens: 0,
    sharesWithOutputTokens: 0,
  };
}
