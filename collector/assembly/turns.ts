/** The turns of one leg: where the source counts them, at its indexes; where it does not, by what the model can have read. */
import { findInferences, type Inference, statedTurn } from "./inferences.ts";
import type { CallGroup } from "./one-call.ts";
import { byStart, earliest } from "./order.ts";
import type { SpanTree } from "./span-tree.ts";
import type { SaidOfTurn } from "./types.ts";

export interface PlacedCall {
  readonly group: CallGroup;
  /** `exact`: the source stated the turn, by its index or by the span around the call. */
  readonly source: "exact" | "inferred";
}

/** One turn of a leg, at its index there. */
export interface TurnGroup {
  readonly index: number;
  readonly inferences: SaidOfTurn[];
  readonly calls: PlacedCall[];
}

/** The turns of one leg, by index; indexes may be missing where the source counts. */
export function turnsOfLeg(turns: readonly SaidOfTurn[], calls: readonly CallGroup[], tree: SpanTree): TurnGroup[] {
  const inferences = findInferences(turns, calls, tree);
  const groups = new Map<number, TurnGroup>();
  const at = (index: number): TurnGroup => {
    const group = groups.get(index) ?? { index, inferences: [], calls: [] };
    groups.set(index, group);
    return group;
  };
  const inside = new Map<Inference, CallGroup[]>();
  const loose: CallGroup[] = [];
  for (const inference of inferences.turns) {
    if (inference.index === null) inside.set(inference, []);
    else append(at(inference.index).inferences, inference.spans);
  }
  for (const group of calls) {
    const proposer = inferences.proposerOf(group);
    const index = statedTurn(group) ?? proposer?.index ?? null;
    if (index !== null) at(index).calls.push({ group, source: stated(group) });
    else if (proposer !== null) inside.get(proposer)!.push(group);
    else loose.push(group);
  }
  if (groups.size === 0) return inOrder(inside, loose);

  const counted = inferences.turns.filter((inference) => inference.counted);
  append(loose, counted.length > 0 ? besideCounted(inside, counted, at) : intoGaps(inside, groups, at));
  placeInForce([...groups.values()], loose);
  return [...groups.values()].sort((a, b) => a.index - b.index);
}

function stated(group: CallGroup): "exact" | "inferred" {
  return group.every((call) => call.record.turn_source === "inferred") ? "inferred" : "exact";
}

/**
 * Nothing is counted: model spans and calls in the order of (start, end, span id). A model span begins a turn; so does
 * the first call that starts after every earlier call of the turn has ended, for before that the model cannot have
 * read a result.
 */
function inOrder(inferences: ReadonlyMap<Inference, readonly CallGroup[]>, loose: readonly CallGroup[]): TurnGroup[] {
  const items = [
    ...[...inferences].map(([inference, calls]) => ({ first: inference.spans[0]!, inference, calls })),
    ...loose.map((group) => ({ first: group[0]!, inference: null, calls: [group] })),
  ].sort((a, b) => byStart(a.first, b.first));
  const turns: TurnGroup[] = [];
  let ended: bigint | null = null;
  for (const { first, inference, calls } of items) {
    let turn = turns.at(-1);
    if (turn === undefined || inference !== null || (ended !== null && first.start_ns > ended)) {
      turn = { index: turns.length, inferences: [...(inference?.spans ?? [])], calls: [] };
      turns.push(turn);
      ended = null;
    }
    const source = inference === null ? "inferred" : "exact";
    for (const group of calls) {
      turn.calls.push({ group, source });
      for (const call of group) if (ended === null || call.end_ns > ended) ended = call.end_ns;
    }
  }
  return turns;
}

/**
 * The emitter counts its responses: another emitter's span that overlaps a counted one tells of the same response;
 * any other is usage, and no turn. Returns the calls of the latter.
 */
function besideCounted(
  inferences: ReadonlyMap<Inference, readonly CallGroup[]>,
  counted: readonly Inference[],
  at: (index: number) => TurnGroup,
): CallGroup[] {
  const left: CallGroup[] = [];
  for (const [inference, calls] of inferences) {
    const same = counted.find((other) => overlap(inference, other));
    if (same === undefined) {
      append(left, calls);
      continue;
    }
    const turn = at(same.index!);
    append(turn.inferences, inference.spans);
    for (const group of calls) turn.calls.push({ group, source: "exact" });
  }
  return left;
}

function overlap(a: Inference, b: Inference): boolean {
  const [one, other] = [a.spans[0]!, b.spans[0]!];
  return one.start_ns < other.end_ns && other.start_ns < one.end_ns;
}

/**
 * Calls carry indexes, responses do not: the last response before a turn's calls is that turn's, those before it take
 * the free indexes below, those after the last turn come after it. Returns the calls of responses that found no place.
 */
function intoGaps(
  inferences: ReadonlyMap<Inference, readonly CallGroup[]>,
  groups: ReadonlyMap<number, TurnGroup>,
  at: (index: number) => TurnGroup,
): CallGroup[] {
  const turns = [...groups.values()].sort((a, b) => a.index - b.index);
  const waiting = [...inferences];
  const left: CallGroup[] = [];
  const place = (index: number, [inference, calls]: [Inference, readonly CallGroup[]]) => {
    const turn = at(index);
    append(turn.inferences, inference.spans);
    for (const group of calls) turn.calls.push({ group, source: "exact" });
  };
  let previous = -1;
  for (const turn of turns) {
    const start = startOf(turn);
    const before: typeof waiting = [];
    while (waiting.length > 0 && waiting[0]![0].spans[0]!.start_ns <= start) before.push(waiting.shift()!);
    let free = turn.inferences.length === 0 ? turn.index : turn.index - 1;
    for (const entry of before.reverse()) {
      if (free > previous) place(free, entry);
      else append(left, entry[1]);
      free -= 1;
    }
    previous = turn.index;
  }
  for (const entry of waiting) {
    previous += 1;
    place(previous, entry);
  }
  return left;
}

/** Each into the last turn that had begun when the call started, or into the first where none had. */
function placeInForce(turns: readonly TurnGroup[], loose: readonly CallGroup[]): void {
  if (loose.length === 0) return;
  // From each turn on, the earliest start: it never falls from one turn to the next.
  const begun = [...turns].sort((a, b) => a.index - b.index).map((turn) => ({ turn, from: startOf(turn) }));
  for (let i = begun.length - 2; i >= 0; i -= 1) {
    if (begun[i + 1]!.from < begun[i]!.from) begun[i]!.from = begun[i + 1]!.from;
  }
  const calls = [...loose].sort((a, b) => byStart(a[0]!, b[0]!));
  let last = 0;
  for (const group of calls) {
    while (last + 1 < begun.length && begun[last + 1]!.from <= group[0]!.start_ns) last += 1;
    begun[last]!.turn.calls.push({ group, source: "inferred" });
  }
}

/** A spread call ends at some 120,000 arguments. */
function append<T>(list: T[], more: readonly T[]): void {
  for (const one of more) list.push(one);
}

function startOf(turn: TurnGroup): bigint {
  return earliest([...turn.inferences, ...turn.calls.flatMap(({ group }) => group)].map((said) => said.start_ns));
}
