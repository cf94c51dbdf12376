import { digestKeys } from "./compare.ts";
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
  pairMostEqual(pairing, open, calls, (equal) => (equal > 0 ? "digest" : "order"));
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
  pairMostEqual(pairing, unknownTool, accepted, () => "digest", { least: 1 });
}

function take<E extends OpenEpisode>(pairing: Pairing<E>, episode: E, call: LinkCall, evidence: LinkEvidence): void {
  if (pairing.episodes.has(episode) || pairing.calls.has(call)) return;
  pairing.episodes.add(episode);
  pairing.calls.add(call);
  pairing.pairs.push({ episode, call, evidence });
}

/** Step 2a. A `repair_of` names one call, and so comes before an operation id, which several calls may share. */
function pairByLink<E extends OpenEpisode>(pairing: Pairing<E>, open: readonly E[], calls: readonly LinkCall[]): void {
  const named = new Set(calls.map((call) => call.repairOf).filter((callId) => callId !== null));
  const latest = latestWithCallId(open, named);
  for (const call of calls) {
    const episode = latest.get(call.repairOf)?.episode;
    if (episode !== undefined) take(pairing, episode, call, "explicit");
  }
  if (calls.every((call) => call.operationId === null)) return;
  pairMostEqual(pairing, open, calls, () => "operation", { mayPair: inOneOperation });
}

/** Ids are reused: the latest call with the id is meant, also where its episode has been paired already. */
function latestWithCallId<E extends OpenEpisode>(
  open: readonly E[],
  named: ReadonlySet<string>,
): Map<string | null, { readonly episode: E; readonly call: LinkCall }> {
  const found = new Map<string | null, { episode: E; call: LinkCall }>();
  if (named.size === 0) return found;
  for (const episode of open) {
    for (const call of callsOf(episode)) {
      if (call.callId === null || !named.has(call.callId)) continue;
      const latest = found.get(call.callId);
      if (latest !== undefined && byPlace(call, latest.call) < 0) continue;
      found.set(call.callId, { episode, call });
    }
  }
  return found;
}

/** Whether a call has the operation id of one of the episode's calls. */
function inOneOperation(episode: OpenEpisode): (call: LinkCall) => boolean {
  const ids = new Set<string | null>(callsOf(episode).map((own) => own.operationId));
  ids.delete(null);
  return (call) => ids.has(call.operationId);
}

/**
 * Step 2b: most equal first, then by opening order, then by ordinal.
 *
 * Two batches of n calls have n² pairs. What they share is counted through an index of the digests, and one episode's
 * counts are held at a time. `bound` is what an episode can share with a free call at most: it only falls, because
 * calls only cease to be free.
 *
 * @param least pairs that share fewer digests are none.
 * @param mayPair which calls an episode may be paired with at all.
 */
function pairMostEqual<E extends OpenEpisode>(
  pairing: Pairing<E>,
  open: readonly E[],
  calls: readonly LinkCall[],
  evidence: (equal: number) => LinkEvidence,
  { least = 0, mayPair }: { least?: number; mayPair?: (episode: E) => (call: LinkCall) => boolean } = {},
): void {
  const free = calls.filter((call) => !pairing.calls.has(call));
  const rows = open
    .filter((episode) => !pairing.episodes.has(episode))
    .map((episode) => {
      const keys = digestKeys(lastOf(episode));
      return { episode, keys, bound: keys.length, may: mayPair?.(episode) ?? (() => true) };
    });
  const callsWith = columnsByDigest(free);
  const most = rows.reduce((max, { bound }) => Math.max(max, bound), 0);
  for (let level = most; level >= least; level--) {
    for (const row of rows) {
      if (row.bound !== level) continue;
      const equal = new Int32Array(free.length);
      for (const key of row.keys) for (const column of callsWith.get(key) ?? []) equal[column]! += 1;
      let best = -1;
      let bestEqual = -1;
      for (let column = 0; column < free.length; column++) {
        if (equal[column]! <= bestEqual || pairing.calls.has(free[column]!) || !row.may(free[column]!)) continue;
        best = column;
        bestEqual = equal[column]!;
      }
      if (bestEqual === level) take(pairing, row.episode, free[best]!, evidence(level));
      row.bound = bestEqual === level ? -1 : bestEqual;
    }
  }
}

/** The places in `calls` of those that carry a digest, by its key. */
function columnsByDigest(calls: readonly LinkCall[]): Map<string, number[]> {
  const columns = new Map<string, number[]>();
  for (const [column, call] of calls.entries()) {
    for (const key of digestKeys(call)) {
      const known = columns.get(key);
      if (known === undefined) columns.set(key, [column]);
      else known.push(column);
    }
  }
  return columns;
}

const callsOf = (episode: OpenEpisode): LinkCall[] => [episode.opening, ...episode.attempts.map(({ call }) => call)];

const lastOf = (episode: OpenEpisode): LinkCall => episode.attempts.at(-1)?.call ?? episode.opening;

/** The order of calls in a run: by turn, then by ordinal. */
export function byPlace(a: LinkCall, b: LinkCall): number {
  return a.turn - b.turn || a.ordinal - b.ordinal;
}
