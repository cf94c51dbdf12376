/** A run's turns, gap-free from 0 over all its legs, and its calls in their places. */
import { callOfGroup } from "./call-of-group.ts";
import { type CallGroup, uniteByCallId, uniteByPlaceAndNesting } from "./one-call.ts";
import { greatest, least, milliseconds } from "./order.ts";
import { isCall, type SpanTree } from "./span-tree.ts";
import { turnOf } from "./turn-row.ts";
import { type PlacedCall, type TurnGroup, turnsOfLeg } from "./turns.ts";
import type { AssembledCall, AssembledTurn, ReceivedObservation, SaidOfCall, SaidOfTurn } from "./types.ts";

/** More missing indexes than this in one run are an emitter's mistake: its gaps are closed, not filled. */
const MAX_FILLED_TURNS = 200;

export interface RunSurroundings {
  /** Of the run's own spans. */
  readonly tree: SpanTree;
  readonly legOf: (observation: ReceivedObservation) => number;
  readonly agent_name: string | null;
  readonly environment: string | null;
  /** Milliseconds since 1970. */
  readonly started_at: number;
}

export function turnsAndCalls(
  inferences: readonly SaidOfTurn[],
  callSpans: readonly SaidOfCall[],
  run: RunSurroundings,
): { turns: AssembledTurn[]; calls: AssembledCall[] } {
  const placed = turnsOfRun(inferences, callSpans, run);
  const fill = missingTurns(placed) <= MAX_FILLED_TURNS;
  const turns: AssembledTurn[] = [];
  const calls: AssembledCall[] = [];
  let offset = 0;
  let legNow: number | null = null;
  let startTime = run.started_at;
  const callAround = run.tree.nearest(isCall);
  for (const { leg, group } of placed) {
    if (leg !== legNow) offset = turns.length;
    legNow = leg;
    while (fill && turns.length < offset + group.index) {
      turns.push(turnOf([], { turn: turns.length, leg, turn_source: "exact" }, startTime));
    }
    const united = uniteCalls(group.calls);
    const inferred = united.length > 0 && united.every((call) => call.source === "inferred");
    const starts = united.map((call) => milliseconds(call.group[0]!.start_ns));
    const place = { turn: turns.length, leg, turn_source: inferred ? ("inferred" as const) : ("exact" as const) };
    const turn = turnOf(group.inferences, place, starts.length > 0 ? least(starts) : startTime);
    startTime = turn.start_time;
    turns.push(turn);
    const ordinals = ordinalsOf(united);
    for (const { group: call, source } of united) {
      const at = { leg, turn: turn.turn, ordinal: ordinals.get(call)!, turn_source: source };
      const { agent_name, environment } = run;
      calls.push(callOfGroup(call, at, { model: turn.model, agent_name, environment }, callAround));
    }
  }
  calls.sort((a, b) => a.turn - b.turn || a.ordinal - b.ordinal);
  return { turns, calls };
}

/** By (leg, index): a leg begins where the one before ends. */
function turnsOfRun(inferences: readonly SaidOfTurn[], callSpans: readonly SaidOfCall[], run: RunSurroundings) {
  const groups = uniteByPlaceAndNesting(callSpans, run.tree, run.legOf);
  const callsOfLeg = Map.groupBy(groups, (group) => greatest(group.map(run.legOf)));
  const inferencesOfLeg = Map.groupBy(inferences, run.legOf);
  const legs = [...new Set([...callsOfLeg.keys(), ...inferencesOfLeg.keys()])].sort((a, b) => a - b);
  return legs.flatMap((leg) =>
    turnsOfLeg(inferencesOfLeg.get(leg) ?? [], callsOfLeg.get(leg) ?? [], run.tree).map((group) => ({ leg, group })),
  );
}

function missingTurns(placed: readonly { leg: number; group: TurnGroup }[]): number {
  const last = new Map(placed.map(({ leg, group }) => [leg, group.index]));
  return [...last.values()].reduce((sum, index) => sum + index + 1, 0) - placed.length;
}

function uniteCalls(calls: readonly PlacedCall[]): PlacedCall[] {
  const exact = new Set<SaidOfCall>(calls.filter((call) => call.source === "exact").flatMap((call) => call.group));
  return uniteByCallId(calls.map((call) => call.group)).map((group) => ({
    group,
    source: group.some((call) => exact.has(call)) ? "exact" : "inferred",
  }));
}

/** Stated places are kept; a call without one, or with one that is taken, comes after them, in the order of starts. */
function ordinalsOf(calls: readonly PlacedCall[]): Map<CallGroup, number> {
  const ordinals = new Map<CallGroup, number>();
  const taken = new Set<number>();
  const after: CallGroup[] = [];
  for (const { group } of calls) {
    const stated = group.map((call) => call.record.ordinal).filter((ordinal) => ordinal !== undefined);
    const ordinal = stated.length > 0 ? least(stated) : null;
    if (ordinal === null || taken.has(ordinal)) after.push(group);
    else {
      taken.add(ordinal);
      ordinals.set(group, ordinal);
    }
  }
  let next = taken.size > 0 ? greatest([...taken]) + 1 : 0;
  for (const group of after) {
    ordinals.set(group, next);
    next += 1;
  }
  return ordinals;
}
