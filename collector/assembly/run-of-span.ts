/**
 * The run of a span (METRICS.md section 1): its run id; else that of the nearest enclosing span which says it, where
 * an `invoke_agent` span without an id is a run of its own; else the trace.
 */
import { byStart } from "./order.ts";
import { lastOf, type SpanTree } from "./span-tree.ts";
import type { ReceivedObservation } from "./types.ts";

/** The id of the run that an `invoke_agent` span without a run id is. */
export function agentSpanRunId(observation: ReceivedObservation): string {
  return `${observation.trace_id}-${observation.span_id}`;
}

/** The run id that each observation belongs to. */
export function runsOfSpans(tree: SpanTree): Map<ReceivedObservation, string> {
  const agentSpans = new Map<string, ReceivedObservation[]>();
  for (const observation of tree.observations) {
    if (observation.record.type !== "run") continue;
    const inTrace = agentSpans.get(observation.trace_id);
    if (inTrace === undefined) agentSpans.set(observation.trace_id, [observation]);
    else inTrace.push(observation);
  }
  const telling = lastOf((one: ReceivedObservation) => (statedRun(one) === null ? tree.parent(one) : undefined));
  const runs = new Map<ReceivedObservation, string>();
  for (const observation of tree.observations) {
    const teller = telling(observation);
    const runId = runs.get(teller) ?? runOf(teller, agentSpans.get(observation.trace_id) ?? []);
    runs.set(teller, runId);
    runs.set(observation, runId);
  }
  return runs;
}

/** @param outermost - States a run, or is the last of its chain that is held. */
function runOf(outermost: ReceivedObservation, agentSpans: readonly ReceivedObservation[]): string {
  const stated = statedRun(outermost);
  if (stated !== null) return stated;
  if (outermost.parent_span_id === null) return outermost.trace_id;
  // The chain leads to a span that is not held (only spans of GenAI operations are): what encloses it in time.
  const enclosing = agentSpans
    .filter((agent) => agent.start_ns <= outermost.start_ns && agent.end_ns >= outermost.end_ns && agent !== outermost)
    .sort((a, b) => {
      const difference = a.end_ns - a.start_ns - (b.end_ns - b.start_ns);
      return difference < 0n ? -1 : difference > 0n ? 1 : byStart(a, b);
    })[0];
  return (enclosing && statedRun(enclosing)) ?? outermost.trace_id;
}

function statedRun(observation: ReceivedObservation): string | null {
  const { record } = observation;
  if (record.run_id !== undefined) return record.run_id;
  return record.type === "run" ? agentSpanRunId(observation) : null;
}
