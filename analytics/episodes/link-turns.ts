import type { LinkRun, LinkSettings } from "./types.ts";

/** The numbering in which windows and repair turns are counted. */
export interface LinkTurns {
  /** The link turn of a model turn that has a call. */
  of(turn: number): number;
  /** The latest link turn of the run, -1 where it has none. */
  readonly last: number;
}

/**
 * In model turns every turn counts. In `tool_calling`, for agents that talk to a person between their calls, the turns
 * that have a call are numbered anew (METRICS.md section 1).
 */
export function linkTurns(run: LinkRun, basis: LinkSettings["turnBasis"]): LinkTurns {
  const withCall = [...new Set(run.calls.map((call) => call.turn))].sort((a, b) => a - b);
  if (basis === "model") {
    const last = run.turns.reduce((latest, { turn }) => Math.max(latest, turn), withCall.at(-1) ?? -1);
    return { of: (turn) => turn, last };
  }
  const numbers = new Map(withCall.map((turn, number) => [turn, number]));
  return { of: (turn) => numbers.get(turn) ?? -1, last: withCall.length - 1 };
}
