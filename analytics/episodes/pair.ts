import { equalDigests } from "./compare.ts";
import type { Attempt, LinkCall, LinkEvidence } from "./types.ts";

/** What pairing needs to know of an open episode. Lists of them are in opening order. */
export interface OpenEpisode {
  readonly opening: LinkCall;
  readonly attempts: readonly Attempt[];
}

/** The pairs of one turn: one call to at most one episode, and one episode to at most one call. */
export interface Pairing<E extends OpenEpisode> {
  readonly pairs: { readonly episode: E; readonly call: LinkCall; readonly evidence: LinkEvidence }[];
  readonly episodes: Set<E>;
  readonly calls: Set<LinkCall>;
}

export function newPairing<E extends OpenEpisode>(): Pairing<E> {
  return { pairs: [], episodes: new Set(), calls: new Set() };
}

/**
 * Step 2 of the linking: the calls to one tool in one turn with the open episodes of that tool.
 * Calls are in the order of their ordinals.
 */
export function pairOwnTool<E extends OpenEpisode>(
  pairing: Pairing<E>,
  open: readonly E[],
  calls: readonly LinkCall[],
): void {
  pairByLink(pairing, open, calls);
  pairMostEqual(pairing, open, calls, equalToLast, (equal) => (equal > 0 ? "digest" : "order"));
}

/**
 * After step 2 of every tool of the turn: episodes of an unknown tool with accepted calls to other tools, which need a
 * link or something in common.
 */
export function pairOtherTools<E extends OpenEpisode>(
  pairing: Pairing<E>,
  open: readonly E[],
  calls: readonly LinkCall[],
): void {
  const unknownTool = open.filter((episode) => episode.opening.failureClass === "unknown_tool");
  const accepted = calls.filter((call) => call.verdict === "accepted");
  pairByLink(pairing, unknownTool, accepted);
  pairMostEqual(
    pairing,
    unknownTool,
    accepted,
    (episode, call) => equalToLast(episode, call) || null,
    () => "digest",
  );
}

function take<E extends OpenEpisode>(pairing: Pairing<E>, episode: E, call: LinkCall, evidence: LinkEvidence): void {
  if (pairing.episodes.has(episode) || pairing.calls.has(call)) return;
  pairing.episodes.add(episode);
  pairing.calls.add(call);
  pairing.pairs.push({ episode, call, evidence });
}

/** Step 2a. A `repair_of` names one call, and so comes before an operation id, which several calls may share. */
function pairByLink<E extends OpenEpisode>(pairing: Pairing<E>, open: readonly E[], calls: readonly LinkCall[]): void {
  for (const call of calls) {
    const episode = latestWithCallId(open, call.repairOf);
    if (episode !== undefined) take(pairing, episode, call, "explicit");
  }
  if (calls.every((call) => call.operationId === null)) return;
  const equalInOperation = (episode: E, call: LinkCall) =>
    callsOf(episode).some((own) => own.operationId !== null && own.operationId === call.operationId)
      ? equalToLast(episode, call)
      : null;
  pairMostEqual(pairing, open, calls, equalInOperation, () => "operation");
}

/** Ids are reused: the latest call with the id is meant, also where its episode has been paired already. */
function latestWithCallId<E extends OpenEpisode>(open: readonly E[], callId: string | null): E | undefined {
  let found: E | undefined;
  let latest: LinkCall | undefined;
  for (const episode of open) {
    for (const call of callsOf(episode)) {
      if (callId === null || call.callId !== callId) continue;
      if (latest !== undefined && byPlace(call, latest) < 0) continue;
      found = episode;
      latest = call;
    }
  }
  return found;
}

/** Step 2b: most equal first, then by opening order, then by ordinal. A score of null forbids the pair. */
function pairMostEqual<E extends OpenEpisode>(
  pairing: Pairing<E>,
  open: readonly E[],
  calls: readonly LinkCall[],
  score: (episode: E, call: LinkCall) => number | null,
  evidence: (score: number) => LinkEvidence,
): void {
  const episodes = open.filter((episode) => !pairing.episodes.has(episode));
  const free = calls.filter((call) => !pairing.calls.has(call));
  if (episodes.length === 0 || free.length === 0) return;
  const scores = episodes.map((episode) => Int16Array.from(free, (call) => score(episode, call) ?? -1));
  const most = scores.reduce((max, row) => row.reduce((one, other) => Math.max(one, other), max), 0);
  // Level by level: sorting every pair of two large batches would cost far more than reading this table.
  for (let level = most; level >= 0; level--) {
    for (const [row, episode] of episodes.entries()) {
      for (const [column, call] of free.entries()) {
        if (scores[row]?.[column] === level) take(pairing, episode, call, evidence(level));
      }
    }
  }
}

const callsOf = (episode: OpenEpisode): LinkCall[] => [episode.opening, ...episode.attempts.map(({ call }) => call)];

const lastOf = (episode: OpenEpisode): LinkCall => episode.attempts.at(-1)?.call ?? episode.opening;

const equalToLast = (episode: OpenEpisode, call: LinkCall): number => equalDigests(lastOf(episode), call);

/** The order of calls in a run: by turn, then by ordinal. */
export function byPlace(a: LinkCall, b: LinkCall): number {
  return a.turn - b.turn || a.ordinal - b.ordinal;
}
