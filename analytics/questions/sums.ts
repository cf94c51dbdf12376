import type { EpisodeKind } from "../episodes/types.ts";
import { type Counts, type EpisodeCounts, NO_COUNTS } from "../metrics/counts.ts";
import type { EpisodeCell } from "./episode-cells.ts";

type Growing<Block> = { -readonly [Name in keyof Block]: Block[Name] extends number ? number : Growing<Block[Name]> };

/** Counts that are being summed. */
export type Sums = Growing<Counts>;

export function newCounts(): Sums {
  const { calls, rejected, repair, recovery, denial, transient, completion } = NO_COUNTS;
  const ofKind = (counts: EpisodeCounts) => ({ ...counts, outcomes: { ...counts.outcomes } });
  return {
    ...{ calls: { ...calls }, rejected: { ...rejected }, transient: { ...transient }, completion: { ...completion } },
    ...{ repair: ofKind(repair), recovery: ofKind(recovery), denial: ofKind(denial) },
  };
}

/** Adds one block of counts to another, name by name. */
export function add<Name extends string>(sum: Record<Name, number>, counts: Readonly<Record<Name, number>>): void {
  for (const name of Object.keys(sum) as Name[]) sum[name] += counts[name];
}

/** Counters that mean the same in a cell and in what metrics read. */
const SAME = [
  "repaired",
  "first_repair",
  "eventual_repair",
  "late_repair",
  "unchanged_repeat",
  "unchanged_repeat_known",
  "unchanged_repeat_later",
  "unchanged_steps",
  "steps",
  "targeted_change",
  "targeted_change_known",
  "first_attempt_unchanged",
  "first_attempt_unchanged_known",
] as const satisfies readonly (keyof EpisodeCounts)[];

/** Adds a cell to the counts of its kind and, of any kind, to those whose error said that the same call may work. */
export function addEpisodes(
  sums: Record<EpisodeKind, Growing<EpisodeCounts>> & Pick<Sums, "transient">,
  cell: EpisodeCell,
) {
  const { counts, transient } = cell;
  const ofKind = sums[cell.kind];
  ofKind.opened += counts.episodes;
  if (!cell.settled) {
    ofKind.pending += counts.episodes;
    if (transient) sums.transient.pending += counts.episodes;
    return;
  }
  ofKind.settled += counts.episodes;
  ofKind.outcomes[cell.outcome] += counts.episodes;
  for (const name of SAME) ofKind[name] += counts[name];
  if (!transient) return;
  sums.transient.known += counts.first_attempt_unchanged_known;
  sums.transient.repeated += counts.first_attempt_unchanged;
}
