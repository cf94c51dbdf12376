/** Which model spans are one response, which calls each proposed, and which of them are turns of the run's agent. */
import type { CallGroup } from "./one-call.ts";
import { byStart, least } from "./order.ts";
import { lastOf, type SpanTree, spanKey } from "./span-tree.ts";
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
  const surroundingsOf = surroundings(tree, bySpan);
  const roots = new Map<SaidOfTurn, SaidOfTurn[]>();
  const rootOf = new Map<string, SaidOfTurn>();
  for (const turn of [...turns].sort(byStart)) {
    const { root, insideTool } = surroundingsOf(turn);
    if (insideTool && turn.record.turn === undefined) continue; // the tool asked a model, not the agent
    rootOf.set(spanKey(turn), root);
    const nested = roots.get(root);
    if (nested === undefined) roots.set(root, [turn]);
    else nested.push(turn);
  }

  const proposed = new Map<SaidOfTurn, CallGroup[]>();
  const proposers = new Map<CallGroup, SaidOfTurn>();
  const teller = tree.nearest((one) => one.record.type !== "turn" || rootOf.has(spanKey(one)));
  for (const group of calls) {
    const root = proposer(group, teller, rootOf);
    if (root === null) continue;
    proposers.set(group, root);
    const others = proposed.get(root);
    if (others === undefined) proposed.set(root, [group]);
    else others.push(group);
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
  return { spans, index: known.length > 0 ? least(known) : null, counted: own.length > 0 };
}

/** The outermost model span around one that no tool span separates from it, and whether a tool span is around. */
function surroundings(
  tree: SpanTree,
  bySpan: ReadonlyMap<string, SaidOfTurn>,
): (turn: SaidOfTurn) => { root: SaidOfTurn; insideTool: boolean } {
  const boundary = tree.nearest((one) => one.record.type !== "turn");
  const around = tree.nearest((one) => one.record.type !== "turn" || bySpan.has(spanKey(one)));
  const outermost = lastOf((turn: SaidOfTurn) => {
    const next = around(turn);
    return next && bySpan.get(spanKey(next));
  });
  return (turn) => ({ root: outermost(turn), insideTool: boundary(turn)?.record.type === "call" });
}

/** @param teller - The nearest span around one that says who proposed it: a response, or what ends the search. */
function proposer(
  group: CallGroup,
  teller: (observation: ReceivedObservation) => ReceivedObservation | undefined,
  rootOf: ReadonlyMap<string, SaidOfTurn>,
): SaidOfTurn | null {
  const members = new Set<ReceivedObservation>(group);
  const searched = new Set<ReceivedObservation>();
  for (const call of group) {
    for (let at: ReceivedObservation | undefined = call; at && members.has(at) && !searched.has(at); ) {
      searched.add(at);
      at = teller(at);
      const root = at && rootOf.get(spanKey(at));
      if (root !== undefined) return root;
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
