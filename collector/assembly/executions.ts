/** The executions of one call: an engine's retry, a resumed step that ran again. */
import type { CallGroup } from "./one-call.ts";
import { byEnd } from "./order.ts";
import { type SpanTree, spanKey } from "./span-tree.ts";
import type { SaidOfCall } from "./types.ts";

export interface Executions {
  /** How many: what the sources counted, or what was seen. */
  readonly attempts: number;
  /** The spans of the one whose result counts, sorted by `byEnd`. */
  readonly counting: readonly SaidOfCall[];
  /** Its outermost span, by which it is timed. */
  readonly span: SaidOfCall;
}

/** Nested spans tell of one execution; of several the one that has a result and ended last counts. */
export function executionsOf(group: CallGroup, tree: SpanTree): Executions {
  const bySpan = new Map(group.map((call) => [spanKey(call), call]));
  const byOutermost = new Map<SaidOfCall, SaidOfCall[]>();
  for (const call of group) {
    const outermost = outermostOf(call, tree, bySpan);
    const nested = byOutermost.get(outermost);
    if (nested === undefined) byOutermost.set(outermost, [call]);
    else nested.push(call);
  }
  const executions = [...byOutermost.entries()].sort(([a], [b]) => byEnd(a, b));
  const withResult = executions.filter(([, spans]) => spans.some((call) => call.record.has_result !== false));
  const [span, spans] = (withResult.at(-1) ?? executions.at(-1))!;
  const counted = group.map((call) => call.record.execution_attempts ?? 0);
  return {
    attempts: Math.max(withResult.length, 1, ...counted),
    counting: [...spans].sort(byEnd),
    span,
  };
}

/** Outwards from one tool span to the next, as long as they are of the same call. */
function outermostOf(call: SaidOfCall, tree: SpanTree, ofCall: ReadonlyMap<string, SaidOfCall>): SaidOfCall {
  let outermost = call;
  for (const ancestor of tree.ancestors(call)) {
    if (ancestor.record.type !== "call") continue;
    const next = ofCall.get(spanKey(ancestor));
    if (next === undefined) break;
    outermost = next;
  }
  return outermost;
}
