import type { LinkedEpisode } from "./link.ts";
import type { Episode, LinkRun } from "./types.ts";

/**
 * When an episode counts as settled, in milliseconds since 1970: at once (`-Infinity`) where its run has ended; else when
 * the run has been silent for `settle_after`, or when the episode is decided and so old; `Infinity` where neither can
 * come by itself. Until then it is pending, in no episode rate (METRICS.md, *Settled*).
 */
export function settlesAt(run: LinkRun, episode: LinkedEpisode, settleAfterSeconds: number): number {
  if (run.ended) return Number.NEGATIVE_INFINITY;
  const after = settleAfterSeconds * 1000;
  const bySilence = run.waiting ? Number.POSITIVE_INFINITY : run.lastReceivedAt + after;
  const byAge = episode.decided ? episode.opening.startedAt + after : Number.POSITIVE_INFINITY;
  return Math.min(bySilence, byAge);
}

export function isSettled(episode: Pick<Episode, "settlesAt">, now: Date): boolean {
  return episode.settlesAt <= now.getTime();
}

/** What a call's result said of a continuation: work that goes on elsewhere under an id. */
export interface ContinuationResult {
  readonly state: string | null;
  readonly continuationId: string;
  /** When the result came, milliseconds since 1970. */
  readonly endedAt: number;
  readonly turn: number;
  readonly ordinal: number;
}

export const OPENS: readonly string[] = ["accepted", "queued", "started"];
export const CLOSES: readonly string[] = ["completed", "verified", "failed"];

/**
 * Whether a continuation of the run is still open: the run then waits for it, and is not silent.
 *
 * @param results of the run's calls, and closing ones of other runs' calls.
 */
export function isWaiting(results: readonly ContinuationResult[]): boolean {
  const open = new Set<string>();
  const inTime = results.toSorted((a, b) => a.endedAt - b.endedAt || a.turn - b.turn || a.ordinal - b.ordinal);
  for (const { state, continuationId } of inTime) {
    if (state === null) continue;
    if (OPENS.includes(state)) open.add(continuationId);
    if (CLOSES.includes(state)) open.delete(continuationId);
  }
  return open.size > 0;
}
