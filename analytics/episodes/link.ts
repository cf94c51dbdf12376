import { opens, resolves } from "./kinds.ts";
import type { LinkTurns } from "./link-turns.ts";
import { newPairing, type Pairing, pairOtherTools, pairOwnTool } from "./pair.ts";
import type { Attempt, EpisodeKind, LinkCall } from "./types.ts";

/** An episode as linking leaves it: who repairs whom, and nothing of what that costs or means. */
export interface LinkedEpisode {
  readonly opening: LinkCall;
  readonly attempts: readonly Attempt[];
  readonly repaired: boolean;
  /** Repaired, or closed by a turn after its window. */
  readonly decided: boolean;
}

interface Building {
  readonly opening: LinkCall;
  readonly attempts: Attempt[];
  repaired: boolean;
}

/**
 * The episodes of one kind, in opening order (METRICS.md section 2, steps 1 to 4).
 *
 * @param calls of the run, sorted by turn, then ordinal.
 * @param window `W`, in link turns.
 */
export function link(kind: EpisodeKind, calls: readonly LinkCall[], turns: LinkTurns, window: number): LinkedEpisode[] {
  if (!calls.some((call) => opens(kind, call))) return [];
  const episodes: Building[] = [];
  const windowClosed = (episode: Building, turn: number) => turn - turns.of(lastTurn(episode)) > window;

  let open: Building[] = [];
  for (const batch of batches(calls)) {
    open = open.filter((episode) => !windowClosed(episode, turns.of(batch.turn)));

    const pairing = pairTurn(open, batch.calls);
    for (const { episode, call, evidence } of pairing.pairs) {
      episode.attempts.push({ call, evidence });
      episode.repaired = resolves(kind, call);
    }
    open = open.filter((episode) => !episode.repaired);

    for (const opening of batch.calls) {
      if (!opens(kind, opening) || pairing.calls.has(opening)) continue;
      const episode: Building = { opening, attempts: [], repaired: false };
      episodes.push(episode);
      open.push(episode);
    }
  }
  return episodes.map((episode) => ({ ...episode, decided: episode.repaired || windowClosed(episode, turns.last) }));
}

/** Step 2. */
function pairTurn(open: readonly Building[], calls: readonly LinkCall[]): Pairing<Building> {
  const pairing = newPairing<Building>();
  if (open.length === 0) return pairing;
  const openOfTool = Map.groupBy(open, (episode) => episode.opening.linkTool);
  for (const [tool, own] of Map.groupBy(calls, (call) => call.linkTool)) {
    pairOwnTool(pairing, openOfTool.get(tool) ?? [], own);
  }
  pairOtherTools(pairing, open, calls);
  return pairing;
}

/** The model turn of an episode's last attempt; the opening call is attempt 0. */
export function lastTurn(episode: Pick<LinkedEpisode, "opening" | "attempts">): number {
  return episode.attempts.at(-1)?.call.turn ?? episode.opening.turn;
}

/** One turn's calls at a time: none of them had been read by the model when it wrote the others. */
function batches(calls: readonly LinkCall[]): { turn: number; calls: LinkCall[] }[] {
  return [...Map.groupBy(calls, (call) => call.turn)].map(([turn, own]) => ({ turn, calls: own }));
}
