import { attribute } from "./attribute.ts";
import { link } from "./link.ts";
import { linkTurns } from "./link-turns.ts";
import { byPlace } from "./pair.ts";
import { checkSettings } from "./settings.ts";
import { settlesAt } from "./settle.ts";
import { nextCalls, summarise } from "./summarise.ts";
import { EPISODE_KINDS, type Episode, type LinkCall, type LinkRun, type LinkSettings } from "./types.ts";

/**
 * How a call stands in the rates: a *first attempt* has a known verdict and is no attempt of a repair episode; a call of
 * unknown verdict that nothing was paired with stands in no rate.
 */
export type CallRole = "first" | "repair" | "unknown";

export interface LinkedRun {
  /** Of all three kinds: repair, recovery, denial; within a kind in opening order. */
  readonly episodes: readonly Episode[];
  /** By the call's key, one for every call of the run. */
  readonly roles: ReadonlyMap<string, CallRole>;
}

/**
 * Links one run: METRICS.md sections 2 and 4. The order of the run's turns and calls in their arrays does not matter.
 *
 * @throws {LinkSettingsError} where `E` > `W`, or a setting is no whole number.
 */
export function episodesOf(run: LinkRun, settings: LinkSettings): LinkedRun {
  checkSettings(settings);
  const calls = run.calls.toSorted(byPlace);
  const turns = linkTurns(run, settings.turnBasis);
  const { eventualWindow } = settings;
  const context = { turns, next: nextCalls(calls), eventualWindow, outcome: run.outcome };
  const episodes = EPISODE_KINDS.flatMap((kind) => {
    const linked = link(kind, calls, turns, settings.linkWindow);
    const usages = attribute(run, linked);
    return linked.map(
      (episode, index): Episode => ({
        kind,
        ...episode,
        ...summarise(kind, episode, context),
        settlesAt: settlesAt(run, episode, settings.settleAfterSeconds),
        attributed: usages[index]!,
      }),
    );
  });
  return { episodes, roles: rolesOf(calls, episodes) };
}

function rolesOf(calls: readonly LinkCall[], episodes: readonly Episode[]): Map<string, CallRole> {
  const repairs = episodes.filter(({ kind }) => kind === "repair").flatMap(({ attempts }) => attempts);
  const repairing = new Set(repairs.map(({ call }) => call.key));
  return new Map(
    calls.map(({ key, verdict }) => [key, repairing.has(key) ? "repair" : verdict === "unknown" ? "unknown" : "first"]),
  );
}
