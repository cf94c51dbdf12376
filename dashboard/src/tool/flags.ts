/** Changes of versions as flags of a chart: A, B, ... in the order of time. */
import type { VersionChange } from "../../../analytics/client/client.ts";
import type { TimeFlag } from "../kit/series.ts";

const ALPHABET = 26;

/** The letter of the index: A to Z, then A2, B2, ... */
function letterOf(index: number): string {
  const round = Math.floor(index / ALPHABET);
  return `${String.fromCharCode(65 + (index % ALPHABET))}${round === 0 ? "" : round + 1}`;
}

export function flagsOf(changes: readonly VersionChange[]): readonly TimeFlag[] {
  return changes
    .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .map(({ at, dimension, value }, index) => ({ at, value, what: dimension, letter: letterOf(index) }));
}
