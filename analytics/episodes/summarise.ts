import { targetedChange, unchanged } from "./compare.ts";
import { resolves } from "./kinds.ts";
import { type LinkedEpisode, lastTurn } from "./link.ts";
import type { LinkTurns } from "./link-turns.ts";
import type { Episode, EpisodeKind, LinkCall, NextAction } from "./types.ts";

type Summary = Omit<Episode, keyof LinkedEpisode | "kind" | "settlesAt" | "attributed">;

/** What the episodes of a run share. */
export interface RunContext {
  /** In which windows and repair turns are counted; extra turns are always model turns. */
  readonly turns: LinkTurns;
  /** For every turn with a call, the first call of the next such turn. */
  readonly next: ReadonlyMap<number, LinkCall | undefined>;
  /** `E`, in link turns. */
  readonly eventualWindow: number;
  readonly outcome: string | null;
}

/** What an episode shows (METRICS.md section 2, *Per episode*). */
export function summarise(kind: EpisodeKind, episode: LinkedEpisode, run: RunContext): Summary {
  const { opening, attempts } = episode;
  const distance = (earlier: LinkCall, later: LinkCall) => run.turns.of(later.turn) - run.turns.of(earlier.turn);
  const first = attempts[0]?.call;
  const last = attempts.at(-1)?.call;
  const repairTurns = episode.repaired && last !== undefined ? distance(opening, last) : null;
  const terminalOutcome = run.outcome ?? "unknown";
  return {
    repairTurns,
    firstRepair: repairTurns === 1,
    eventualRepair: repairTurns !== null && repairTurns <= run.eventualWindow,
    lateRepair: repairTurns !== null && repairTurns > run.eventualWindow,
    ...stepsOf(kind, episode, distance),
    ...(first === undefined
      ? withoutAttempt(run.next.get(opening.turn))
      : withAttempt(kind, opening, first, distance(opening, first) === 1)),
    funnelRow: funnelRow(repairTurns, run.eventualWindow, terminalOutcome),
    terminalOutcome,
    extraModelTurns: lastTurn(episode) - opening.turn,
  };
}

type FirstAttempt = Pick<
  Episode,
  "unchangedRepeat" | "unchangedRepeatLater" | "targetedChange" | "nextAction" | "nextTool"
>;

function withoutAttempt(next: LinkCall | undefined): FirstAttempt {
  return {
    unchangedRepeat: false,
    unchangedRepeatLater: false,
    targetedChange: null,
    nextAction: next === undefined ? "gave_up" : "changed_direction",
    nextTool: next?.linkTool ?? null,
  };
}

function withAttempt(kind: EpisodeKind, opening: LinkCall, first: LinkCall, nextTurn: boolean): FirstAttempt {
  const repeats = unchanged(opening, first);
  return {
    unchangedRepeat: nextTurn ? repeats : false,
    unchangedRepeatLater: nextTurn ? false : repeats,
    targetedChange: targetedChange(opening, first),
    nextAction: actionOf(kind, opening, first, nextTurn),
    nextTool: null,
  };
}

/** What the model did with its first attempt. */
function actionOf(kind: EpisodeKind, opening: LinkCall, first: LinkCall, nextTurn: boolean): NextAction {
  if (resolves(kind, first)) return nextTurn ? "repaired_next_turn" : "repaired_later";
  const known = kind === "repair" ? first.verdict !== "unknown" : first.hasResult;
  const repeats = unchanged(opening, first);
  if (!known || repeats === null) return "not_known";
  return repeats ? "repeated_unchanged" : "changed_still_invalid";
}

/**
 * The calls of the episode that were followed by an attempt though they had failed, and how many of those attempts, one
 * turn later, were the same call again. What has failed is a rejected call; in the sibling kinds one that did not resolve.
 */
function stepsOf(
  kind: EpisodeKind,
  { opening, attempts }: LinkedEpisode,
  distance: (earlier: LinkCall, later: LinkCall) => number,
): Pick<Episode, "steps" | "unchangedSteps"> {
  const calls = [opening, ...attempts.map(({ call }) => call)];
  let steps = 0;
  let unchangedSteps = 0;
  for (const [index, next] of calls.slice(1).entries()) {
    const call = calls[index]!;
    const failed = kind === "repair" ? call.verdict === "rejected" : !resolves(kind, call);
    if (!failed) continue;
    steps++;
    if (distance(call, next) === 1 && unchanged(call, next) === true) unchangedSteps++;
  }
  return { steps, unchangedSteps };
}

function funnelRow(repairTurns: number | null, eventualWindow: number, terminalOutcome: string): string {
  if (repairTurns === null) return `unresolved_${terminalOutcome}`;
  return repairTurns <= eventualWindow ? `repaired_turn_${repairTurns}` : "repaired_late";
}

/**
 * For every turn with a call, the first call of the next such turn, to whatever tool.
 *
 * @param calls of the run, sorted by turn, then ordinal.
 */
export function nextCalls(calls: readonly LinkCall[]): ReadonlyMap<number, LinkCall | undefined> {
  const firsts = calls.filter((call, index) => call.turn !== calls[index - 1]?.turn);
  return new Map(firsts.map((call, index) => [call.turn, firsts[index + 1]]));
}
