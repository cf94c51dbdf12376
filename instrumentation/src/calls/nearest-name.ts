const MOST_CHARACTERS = 64;

/** The declared name that a requested one most likely meant; undefined where none is close (a third of it may differ). */
export function nearestName(requested: string, names: readonly string[]): string | undefined {
  if (requested.length > MOST_CHARACTERS) return undefined;
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(requested.length / 3)) + 1;
  for (const name of [...names].sort()) {
    if (Math.abs(name.length - requested.length) >= least) continue;
    const distance = editDistance(plain(requested), plain(name));
    if (distance < least) {
      least = distance;
      nearest = name;
    }
  }
  return nearest;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-. ]/g, "_");
}

/** Levenshtein's distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
