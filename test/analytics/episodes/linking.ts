import type * as count from "../../../analytics/episodes/count.ts";
import type * as episodes from "../../../analytics/episodes/episodes.ts";
import type * as settings from "../../../analytics/episodes/settings.ts";
import type * as settle from "../../../analytics/episodes/settle.ts";

/** The pure part of linking as the vectors and properties see it, so that they can also be put to a mutated copy. */
export interface Linking {
  readonly episodesOf: typeof episodes.episodesOf;
  readonly countCalls: typeof count.countCalls;
  readonly isSettled: typeof settle.isSettled;
  readonly isWaiting: typeof settle.isWaiting;
  readonly checkSettings: typeof settings.checkSettings;
}

/** @param folder the URL of `analytics/episodes/`, or of a copy of it, with a slash at its end. */
export async function loadLinking(folder: URL): Promise<Linking> {
  const load = (file: string) => import(/* @vite-ignore */ new URL(file, folder).href);
  const modules = await Promise.all(["count.ts", "episodes.ts", "settings.ts", "settle.ts"].map(load));
  return Object.assign({}, ...modules);
}

export const SOURCE = new URL("../../../analytics/episodes/", import.meta.url);
