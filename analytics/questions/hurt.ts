import type { EpisodeKind } from "../episodes/types.ts";
import type { CountedGroup } from "./counts.ts";
import type { CountedGroups } from "./groups.ts";

/**
 * METRICS.md's order of hurt: unrepaired episodes in runs that did not complete (unknown counts), then attributed tokens,
 * then extra model turns, each weighted by risk (read 1, write_reversible 3, write_irreversible and unstated 10). Ranking
 * by extra turns alone would put at the bottom the worst case, a model that gives up at once.
 */
export function byHurt(all: CountedGroups, groups: readonly CountedGroup[], kind: EpisodeKind): CountedGroup[] {
  const of = (group: CountedGroup) => all.detailsOf(group.key, kind);
  return [...groups].sort((a, b) => {
    const [first, second] = [of(a), of(b)];
    return (
      (second?.hurt_unrepaired ?? 0) - (first?.hurt_unrepaired ?? 0) ||
      (second?.hurt_tokens ?? 0) - (first?.hurt_tokens ?? 0) ||
      (second?.hurt_extra_turns ?? 0) - (first?.hurt_extra_turns ?? 0) ||
      b.counts.calls.calls - a.counts.calls.calls ||
      (JSON.stringify(a.key) < JSON.stringify(b.key) ? -1 : 1)
    );
  });
}
