import type { CountedRun } from "../../../analytics/episodes/count.ts";
import type { Episode, EpisodeKind, LinkCall, LinkSettings } from "../../../analytics/episodes/types.ts";
import type { Linking } from "./linking.ts";

/**
 * What holds for every run, whatever its calls say. Throws where it does not.
 *
 * @param shuffled the same run with its turns and calls in another order.
 */
export type Law = (run: CountedRun, settings: LinkSettings, linking: Linking, shuffled: CountedRun) => void;

/** Laws by their titles. */
export type Laws = Readonly<Record<string, Law>>;

export const members = ({ opening, attempts }: Episode): LinkCall[] => [opening, ...attempts.map(({ call }) => call)];

export const ofKind = (episodes: readonly Episode[], kind: EpisodeKind): Episode[] =>
  episodes.filter((episode) => episode.kind === kind);

export const total = (values: readonly (number | null)[]): number =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
