/** Which model spans are one response, which calls each proposed, and which of them are turns of the run's agent. */
import type { CallGroup } from "./one-call.ts";
import { byStart } from "./order.ts";
import { type SpanTree, spanKey } from "./span-tree.ts";
import type { ReceivedObservation, SaidOfCall, SaidOfTurn } from "./types.ts";

/** One model response, as one or several nested spans tell it. */
export interface Inference {
  /** Sorted by `byStart`: the outermost first. */
  readonly spans: readonly SaidOfTurn[];
  /** Stated by a span of it, or by the calls inside it. */
  readonly index: number | null;
  /** A span of it states its index: the emitter counts turns itself. */
  readonly counted: boolean;
}

export interface Inferences {
  /** Turns of the run, sorted by start. What else ran a model is usage of the run, and no turn. */
  readonly turns: readonly Inference[];
  /** The response around the tool span. */
  proposerOf(group: CallGroup): Inference | null;
}

/** @param turns - The run's model spans of one leg. @param calls - Its calls of that leg. */
export function findInferences(turns: readonly SaidOfTurn[], calls: readonly CallGroup[], tree: SpanTree): Inferences {
  const bySpan = new Map(turns.map((turn) => [spanKey(turn), turn]));
  const roots = new Map<SaidOfTurn, SaidOfTurn[]>();
  const rootOf = new Map<string, SaidOfTurn>();
  for (const turn of [...turns].sort(byStart)) {
    const surroundings = outermost(turn, tree, bySpan);
    if (surroundings.insideTool && turn.record.turn === undefined) continue; // the tool asked a model, not the agent
    rootOf.set(spanKey(turn), surroundings.root);
    const nested = roots.get(surroundings.root);
    if (nested === undefined) roots.set(surroundings.root, [turn]);
    else nested.push(turn);
  }

  const proposed = new Map<SaidOfTurn, CallGroup[]>();
  const proposers = new Map<CallGroup, SaidOfTurn>();
  for (const group of calls) {
    const root = proposer(group, tree, rootOf);
    if (root === null) continue;
    proposers.set(group, root);
    proposed.set(root, [...(proposed.get(root) ?? []), group]);
  }

  const model = mostFrequentModel(turns);
  const byRoot = new Map<SaidOfTurn, Inference>();
  for (const [root, spans] of roots) {
    const inference = describe(spans, proposed.get(root) ?? []);
    if (inference.index !== null || isTurn(spans, proposed.has(root), model)) byRoot.set(root, inference);
  }
  return {
    turns: [...byRoot.values()].sort((a, b) => byStart(a.spans[0]!, b.spans[0]!)),
    proposerOf: (group) => byRoot.get(proposers.get(group)!) ?? null,
  };
}

/** The index that a call states, if one of its observations does. */
export function statedTurn(group: CallGroup): number | null {
  let stated: SaidOfCall | null = null;
  for (const call of group) {
    if (call.record.turn === undefined) continue;
    if (stated === null || call.end_ns >= stated.end_ns) stated = call;
  }
  return stated?.record.turn ?? null;
}

function describe(spans: readonly SaidOfTurn[], proposed: readonly CallGroup[]): Inference {
  const own = spans.map((span) => span.record.turn).filter((turn) => turn !== undefined);
  const ofCalls = proposed.map(statedTurn).filter((turn) => turn !== null);
  const known = own.length > 0 ? own : ofCalls;
  return { spans, index: known.length > 0 ? Math.min(...known) : null, counted: own.length > 0 };
}

/** The outermost model span around this one that no tool span separates from it, and whether a tool span is around. */
function outermost(
  turn: SaidOfTurn,
  tree: SpanTree,
  bySpan: ReadonlyMap<string, SaidOfTurn>,
): { root: SaidOfTurn; insideTool: boolean } {
  let root = turn;
  for (const ancestor of tree.ancestors(turn)) {
    if (ancestor.record.type === "call") return { root, insideTool: true };
    if (ancestor.record.type === "run") break;
    root = bySpan.get(spanKey(ancestor)) ?? root;
  }
  return { root, insideTool: false };
}

function proposer(group: CallGroup, tree: SpanTree, rootOf: ReadonlyMap<string, SaidOfTurn>): SaidOfTurn | null {
  const members = new Set<ReceivedObservation>(group);
  for (const call of group) {
    for (const ancestor of tree.ancestors(call)) {
      if (ancestor.record.type === "turn") {
        const root = rootOf.get(spanKey(ancestor));
        if (root !== undefined) return root;
      }
      if (ancestor.record.type === "run" || (ancestor.record.type === "call" && !members.has(ancestor))) break;
    }
  }
  return null;
}

/**
 * A turn is an inference of the run's own agent that was offered tools or proposed a call; where neither is recorded,
 * one with the run's most frequent model.
 */
function isTurn(spans: readonly SaidOfTurn[], proposes: boolean, model: string | null): boolean {
  if (proposes || spans.some((span) => /^tool_(calls?|use)$/.test(span.record.finish_reason ?? ""))) return true;
  const offered = spans.map((span) => span.record.tools_offered).filter((count) => count !== undefined);
  if (offered.length > 0) return offered.some((count) => count > 0);
  return spans.some((span) => (span.record.model ?? null) === model);
}

/** Of equally frequent ones the one that is seen first. */
function mostFrequentModel(turns: readonly SaidOfTurn[]): string | null {
  const counts = new Map<string, number>();
  for (const turn of [...turns].sort(byStart)) {
    const { model } = turn.record;
    if (model !== undefined) counts.set(model, (counts.get(model) ?? 0) + 1);
  }
  let most: [string | null, number] = [null, 0];
  for (const entry of counts) if (entry[1] > most[1]) most = entry;
  return most[0];
}
