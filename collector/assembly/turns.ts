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
    else at(inference.index).inferences.push(...inference.spans);
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
  for (const group of counted.length > 0 ? besideCounted(inside, counted, at) : intoGaps(inside, groups, at)) {
    loose.push(group);
  }
  for (const group of loose) turnInForce([...groups.values()], group).calls.push({ group, source: "inferred" });
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
      left.push(...calls);
      continue;
    }
    const turn = at(same.index!);
    turn.inferences.push(...inference.spans);
    turn.calls.push(...calls.map((group) => ({ group, source: "exact" as const })));
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
    turn.inferences.push(...inference.spans);
    turn.calls.push(...calls.map((group) => ({ group, source: "exact" as const })));
  };
  let previous = -1;
  for (const turn of turns) {
    const start = startOf(turn);
    const before: typeof waiting = [];
    while (waiting.length > 0 && waiting[0]![0].spans[0]!.start_ns <= start) before.push(waiting.shift()!);
    let free = turn.inferences.length === 0 ? turn.index : turn.index - 1;
    for (const entry of before.reverse()) {
      if (free > previous) place(free, entry);
      else left.push(...entry[1]);
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

/** The last turn that had begun when the call started; the first where none had. */
function turnInForce(turns: readonly TurnGroup[], group: CallGroup): TurnGroup {
  const sorted = [...turns].sort((a, b) => a.index - b.index);
  return sorted.findLast((turn) => startOf(turn) <= group[0]!.start_ns) ?? sorted[0]!;
}

function startOf(turn: TurnGroup): bigint {
  return earliest([...turn.inferences, ...turn.calls.flatMap(({ group }) => group)].map((said) => said.start_ns));
}
