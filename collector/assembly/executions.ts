/** The executions of one call: an engine's retry, a resumed step that ran again. */
import type { CallGroup } from "./one-call.ts";
import { byEnd, greatest } from "./order.ts";
import { lastOf, spanKey } from "./span-tree.ts";
import type { ReceivedObservation, SaidOfCall } from "./types.ts";

/** The nearest tool span around a span of the run. */
export type CallAround = (observation: ReceivedObservation) => SaidOfCall | undefined;

export interface Executions {
  /** How many: what the sources counted, or what was seen. */
  readonly attempts: number;
  /** The spans of the one whose result counts, sorted by `byEnd`. */
  readonly counting: readonly SaidOfCall[];
  /** Its outermost span, by which it is timed. */
  readonly span: SaidOfCall;
}

/** Nested spans tell of one execution; of several the one that has a result and ended last counts. */
export function executionsOf(group: CallGroup, callAround: CallAround): Executions {
  const bySpan = new Map(group.map((call) => [spanKey(call), call]));
  const byOutermost = new Map<SaidOfCall, SaidOfCall[]>();
  const outermostOf = lastOf((call: SaidOfCall) => enclosing(call, callAround, bySpan));
  for (const call of group) {
    const outermost = outermostOf(call);
    const nested = byOutermost.get(outermost);
    if (nested === undefined) byOutermost.set(outermost, [call]);
    else nested.push(call);
  }
  const executions = [...byOutermost.entries()].sort(([a], [b]) => byEnd(a, b));
  const withResult = executions.filter(([, spans]) => spans.some((call) => call.record.has_result !== false));
  const [span, spans] = (withResult.at(-1) ?? executions.at(-1))!;
  return {
    attempts: Math.max(greatest(group.map((call) => call.record.execution_attempts ?? 1)), withResult.length, 1),
    counting: [...spans].sort(byEnd),
    span,
  };
}

/** The tool span around this one, as long as it is of the same call. */
function enclosing(
  call: SaidOfCall,
  callAround: CallAround,
  ofCall: ReadonlyMap<string, SaidOfCall>,
): SaidOfCall | undefined {
  const around = callAround(call);
  return around && ofCall.get(spanKey(around));
}
