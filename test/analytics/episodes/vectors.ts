import type { CallCount } from "../../../analytics/episodes/count.ts";
import type { Episode } from "../../../analytics/episodes/types.ts";
import type { Linking } from "./linking.ts";
import { NOW, type Place, resultsOf, runOf, settingsOf, type Vector } from "./vector-run.ts";

/** What a run came to, under the vectors' names: episodes by kind and opening, and the fields of `expected` beside them. */
export interface Found {
  readonly episodes: readonly ({ kind: string; opening: Place } & Record<string, unknown>)[];
  readonly totals: Readonly<Record<string, unknown>>;
}

/** Links a vector's run with the pure part of linking alone. */
export function find(vector: Vector, linking: Linking): Found {
  const run = runOf(vector, linking.isWaiting(resultsOf(vector)));
  const { episodes, roles } = linking.episodesOf(run, settingsOf(vector));
  const settled = episodes.filter((episode) => linking.isSettled(episode, new Date(NOW)));
  const share = (among: readonly Episode[]) => ({
    n: among.filter((episode) => episode.unchangedRepeat === true || episode.unchangedRepeatLater === true).length,
    d: among.length,
  });
  return {
    episodes: episodes.map((episode) => shownOf(episode, linking)),
    totals: {
      ...attemptTotals(linking.countCalls(run, roles)),
      transient_repeat: share(settled.filter(({ opening }) => opening.retryability === "as_is")),
      repeat_after_denial: share(settled.filter(({ kind }) => kind === "denial")),
      episode_day: episodes[0] && new Date(episodes[0].opening.startedAt).toISOString().slice(0, 10),
    },
  };
}

export function attemptTotals(
  counts: readonly Pick<
    CallCount,
    "firstAccepted" | "firstRejected" | "repairAccepted" | "repairRejected" | "repairUnknown"
  >[],
) {
  const sum = (field: keyof (typeof counts)[number]) => counts.reduce((total, count) => total + count[field], 0);
  return {
    first_attempts: { accepted: sum("firstAccepted"), rejected: sum("firstRejected") },
    repair_attempts: {
      accepted: sum("repairAccepted"),
      rejected: sum("repairRejected"),
      unknown: sum("repairUnknown"),
    },
  };
}

/** Every expectation of the vector that does not hold, as text: empty where all hold. */
export function failuresOf(vector: Vector, found: Found): string[] {
  const failures: string[] = [];
  for (const [field, expected] of Object.entries(vector.expected)) {
    if (field !== "episodes") compare(failures, field, expected, found.totals[field]);
  }
  const label = ({ kind, opening }: { kind: string; opening: Place }) => `${kind} at ${opening.join()}`;
  const shown = new Map(found.episodes.map((episode) => [label(episode), episode]));
  compare(failures, "episodes", vector.expected.episodes.map(label).sort(), [...shown.keys()].sort());
  for (const expected of vector.expected.episodes) {
    for (const [field, value] of Object.entries(expected)) {
      compare(failures, `${label(expected)}: ${field}`, value, shown.get(label(expected))?.[field]);
    }
  }
  return failures;
}

const place = ({ turn, ordinal }: { turn: number; ordinal: number }): Place => [turn, ordinal];

/** An episode under the vectors' names. */
function shownOf(episode: Episode, linking: Linking): Found["episodes"][number] {
  const { attributed } = episode;
  return {
    kind: episode.kind,
    opening: place(episode.opening),
    tool: episode.opening.linkTool,
    attempts: episode.attempts.map(({ call }) => place(call)),
    evidence: episode.attempts.map(({ evidence }) => evidence),
    settled: linking.isSettled(episode, new Date(NOW)),
    decided: episode.decided,
    repaired: episode.repaired,
    repair_turns: episode.repairTurns,
    first_repair: episode.firstRepair,
    eventual_repair: episode.eventualRepair,
    late_repair: episode.lateRepair,
    unchanged_repeat: episode.unchangedRepeat,
    unchanged_repeat_later: episode.unchangedRepeatLater,
    unchanged_steps: episode.unchangedSteps,
    steps: episode.steps,
    targeted_change: episode.targetedChange,
    next_action: episode.nextAction,
    next_tool: episode.nextTool,
    funnel_row: episode.funnelRow,
    terminal_outcome: episode.terminalOutcome,
    extra_model_turns: episode.extraModelTurns,
    attributed_model_turns: attributed.modelTurns,
    attributed_input_tokens: attributed.inputTokens,
    attributed_cached_input_tokens: attributed.cachedInputTokens,
    attributed_cache_write_tokens: attributed.cacheWriteTokens,
    attributed_output_tokens: attributed.outputTokens,
    attributed_duration_ms: attributed.durationMs,
    usage_shares: [attributed.shares, attributed.sharesWithInputTokens, attributed.sharesWithOutputTokens],
  };
}

/** Numbers agree to 1e-9, everything else exactly. */
function compare(failures: string[], field: string, expected: unknown, actual: unknown): void {
  const equal =
    typeof expected === "number" && typeof actual === "number"
      ? Math.abs(expected - actual) <= 1e-9
      : JSON.stringify(expected) === JSON.stringify(actual);
  if (!equal) failures.push(`${field}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
}
