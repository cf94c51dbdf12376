import type { EpisodeKind } from "../episodes/types.ts";
import type { CountedGroup } from "./counts.ts";
import { detailsOf } from "./episode-details.ts";

/**
 * METRICS.md's order of hurt: unrepaired episodes in runs that did not complete (unknown counts), then attributed tokens,
 * then extra model turns, each weighted by risk (read 1, write_reversible 3, write_irreversible and unstated 10). Ranking
 * by extra turns alone would put at the bottom the worst case, a model that gives up at once.
 */
export function byHurt(groups: readonly CountedGroup[], kind: EpisodeKind): CountedGroup[] {
  const hurts = new Map(groups.map((group) => [group, detailsOf(group.episodes[kind]).hurt]));
  return [...groups].sort((a, b) => {
    const [first, second] = [hurts.get(a)!, hurts.get(b)!];
    return (
      second.unrepaired - first.unrepaired ||
      second.tokens - first.tokens ||
      second.extraTurns - first.extraTurns ||
      b.counts.calls.calls - a.counts.calls.calls ||
      (JSON.stringify(a.key) < JSON.stringify(b.key) ? -1 : 1)
    );
  });
}
