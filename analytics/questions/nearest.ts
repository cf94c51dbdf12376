/** The candidate that a person most likely meant by `word`: fewest edits, at most half of its length and three; else undefined. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const most = Math.min(3, Math.max(1, Math.floor(word.length / 2)));
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = edits(word, candidate);
    if (distance <= most && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Levenshtein distance: insertions, deletions and replacements of one character. */
function edits(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(previous[j]! + 1, current[j - 1]! + 1, replaced));
    }
    previous = current;
  }
  return previous[b.length]!;
}
