/** Members of a JSON object: name to canonical text of the value. */
export type Members = ReadonlyMap<string, string>;

/** Sorts by UTF-16 code units, which is how JavaScript compares strings and what RFC 8785 asks for. */
export function sortMembers(members: Map<string, string>): Members {
  if (members.size < 2) return members;
  const sorted = new Map<string, string>();
  for (const name of [...members.keys()].sort()) sorted.set(name, members.get(name)!);
  return sorted;
}

/** Canonical text of an object whose members are sorted. */
export function closeObject(members: Members): string {
  let text = "";
  for (const [name, value] of members) {
    text += `${text === "" ? "{" : ","}${JSON.stringify(name)}:${value}`;
  }
  return text === "" ? "{}" : `${text}}`;
}
