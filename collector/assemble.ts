/**
 * Observations → runs with their turns and calls (METRICS.md section 1). Pure: the result is a function of the set of
 * observations, in whatever order and in however many requests they came.
 */
import { turnsAndCalls } from "./assembly/number-turns.ts";
import { byEnd, earliest, lastSaid, milliseconds, millisecondsUp } from "./assembly/order.ts";
import { agentSpanRunId, runsOfSpans } from "./assembly/run-of-span.ts";
import { isCall, SpanTree } from "./assembly/span-tree.ts";
import type { AssembledRun, ReceivedObservation, SaidOfCall, SaidOfRun, SaidOfTurn } from "./assembly/types.ts";

export type { AssembledRun, ReceivedObservation } from "./assembly/types.ts";

/** The observations of several traces, and the run that each belongs to. */
export interface SortedObservations {
  readonly tree: SpanTree;
  readonly runOf: ReadonlyMap<ReceivedObservation, string>;
  readonly ofRun: ReadonlyMap<string, readonly ReceivedObservation[]>;
  /** The nearest tool span around a span, in whatever run. */
  readonly callAround: (observation: ReceivedObservation) => SaidOfCall | undefined;
}

/** @param observations - A run is complete only where the traces that its spans stand in are. */
export function sortByRun(observations: readonly ReceivedObservation[]): SortedObservations {
  const tree = new SpanTree(observations);
  const runOf = runsOfSpans(tree);
  return {
    tree,
    runOf,
    ofRun: Map.groupBy(tree.observations, (observation) => runOf.get(observation)!),
    callAround: tree.nearest(isCall),
  };
}

/** Every run that the observations tell of, by run id. */
export function assemble(observations: readonly ReceivedObservation[]): Map<string, AssembledRun> {
  const sorted = sortByRun(observations);
  return new Map([...sorted.ofRun.keys()].map((runId) => [runId, assembleRun(runId, sorted)]));
}

/** @param runId - One of `sorted.ofRun`. */
export function assembleRun(runId: string, sorted: SortedObservations): AssembledRun {
  const said = [...sorted.ofRun.get(runId)!].sort(byEnd);
  const runs = said.filter(isOfRun);
  const facts = factsOf(said, runs);
  const started_at = milliseconds(earliest(said.map((one) => one.start_ns)));
  // Only the run's own spans: what encloses them in another run says nothing about this one.
  const tree = new SpanTree(said);
  const legOf = legsOf(tree);
  const { turns, calls } = turnsAndCalls(said.filter(isOfTurn), said.filter(isCall), {
    tree,
    legOf,
    agent_name: facts.agent_name,
    environment: facts.environment,
    started_at,
  });
  const legs = new Set(said.filter((one) => !isReport(one)).map(legOf));
  const proposed = calls.filter((call) => call.origin === "model");
  const received = said.map((one) => one.received_at);
  return {
    run_id: runId,
    ...facts,
    ...parentOf(runId, runs, sorted),
    model: turns.find((turn) => turn.model !== null)?.model ?? null,
    ended: hasEnded(facts.outcome, runs, legs, legOf),
    legs: Math.max(legs.size, 1),
    text_only_turns: turns.length - new Set(calls.map((call) => call.turn)).size,
    proposed_calls: proposed.length,
    left_out_calls: calls.length - proposed.length,
    started_at,
    ended_at: millisecondsUp(said.at(-1)!.end_ns),
    first_received_at: received.reduce((a, b) => Math.min(a, b)),
    last_received_at: received.reduce((a, b) => Math.max(a, b)),
    turns,
    calls,
  };
}

function factsOf(said: readonly ReceivedObservation[], runs: readonly SaidOfRun[]) {
  const source = said.at(-1)!.source;
  return {
    run_key: lastSaid(runs, (run) => run.record.run_key),
    source,
    time_source: source === "otlp" ? ("span" as const) : (lastSaid(runs, (run) => run.record.time_source) ?? "import"),
    agent_name: lastSaid(said, (one) => one.record.agent_name),
    agent_version: lastSaid(said, (one) => one.record.agent_version),
    conversation_id: lastSaid(said, (one) => one.record.conversation_id),
    environment: lastSaid(said, (one) => one.record.environment),
    service_name: lastSaid(said, (one) => one.record.service_name),
    outcome: lastSaid(runs, (run) => run.record.outcome),
    budget: lastSaid(runs, (run) => run.record.budget),
  };
}

/** An outcome was reported, it was read from a file, or every leg that spoke has its ended agent span. */
function hasEnded(
  outcome: string | null,
  runs: readonly SaidOfRun[],
  legs: ReadonlySet<number>,
  legOf: (observation: ReceivedObservation) => number,
): boolean {
  if (outcome !== null || runs.some((run) => run.record.read_from_file === true)) return true;
  const closed = new Set(runs.filter((run) => !isReport(run)).map(legOf));
  return closed.size > 0 && [...legs].every((leg) => closed.has(leg));
}

/** As the run states it; for an agent span without a run id, the call around it. Nothing else comes from the parent. */
function parentOf(
  runId: string,
  runs: readonly SaidOfRun[],
  { callAround, runOf }: SortedObservations,
): { parent_run_id: string | null; parent_call_id: string | null } {
  const stated = {
    parent_run_id: lastSaid(runs, (run) => run.record.parent_run_id),
    parent_call_id: lastSaid(runs, (run) => run.record.parent_call_id),
  };
  const agent = runs.find((run) => agentSpanRunId(run) === runId);
  if (stated.parent_run_id !== null || agent === undefined) return stated;
  const call = callAround(agent);
  return call === undefined ? stated : { parent_run_id: runOf.get(call)!, parent_call_id: call.record.call_id ?? null };
}

/** The leg that a span states, else that of the nearest span around it in the run that states one, else 0. */
function legsOf(tree: SpanTree): (observation: ReceivedObservation) => number {
  const around = tree.nearest((one) => one.record.leg !== undefined || isOfRun(one));
  return (observation) => observation.record.leg ?? around(observation)?.record.leg ?? 0;
}

const isOfRun = (one: ReceivedObservation): one is SaidOfRun => one.record.type === "run";
const isOfTurn = (one: ReceivedObservation): one is SaidOfTurn => one.record.type === "turn";
/** The span of `recordRunOutcome`: it reports, and is no leg. */
const isReport = (one: ReceivedObservation): boolean => one.record.type === "run" && one.record.outcome_only === true;
