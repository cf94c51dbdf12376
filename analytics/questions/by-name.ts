import { EPISODE_KINDS, type EpisodeKind } from "../episodes/types.ts";

/** A record with one entry a name. */
export function byName<Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>;
}

/** One entry a kind. */
export function byKind<Value>(make: (kind: EpisodeKind) => Value): Record<EpisodeKind, Value> {
  return byName(EPISODE_KINDS, make);
}
