/** Observations → runs, once more: by the pure functions that the assembler uses, from what is stored now. */
import type { Kysely } from "kysely";
import { assembleRun, type SortedObservations, sortByRun } from "../collector/assemble.ts";
import type { AssembledRun, ReceivedObservation } from "../collector/assembly/types.ts";
import { observationsOfRuns, observationsOfTraces, tracesWithRunlessSpans } from "../collector/load-observations.ts";
import type { Database } from "../database/schema.ts";

/** Observations of some runs and of all that may say something about them. */
export interface Evidence {
  readonly sorted: SortedObservations;
  /** Traces in which a run stands and which hold spans without a run id, by run id. */
  readonly mixedTraces: ReadonlyMap<string, readonly string[]>;
  /** The runs that spans of such a trace state, by trace id. */
  readonly statedIn: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The id of a run that no span states: its trace, or an agent span in it. */
const UNSTATED = /^([0-9a-f]{32})(-[0-9a-f]{16})?$/;

/** The trace of a run that no span states, as its id tells; a run may be stated under such an id, too. */
export function traceOfId(runId: string): string | undefined {
  return UNSTATED.exec(runId)?.[1];
}

/** @param runIds - So few that their observations are in memory at a time. */
export async function loadEvidence(
  trx: Kysely<Database>,
  projectId: number,
  runIds: readonly string[],
): Promise<Evidence> {
  const stating = await observationsOfRuns(trx, projectId, runIds);
  const traces = tracesOf(runIds, stating);
  const mixed = new Set(await tracesWithRunlessSpans(trx, projectId, [...new Set([...traces.values()].flat())]));
  const around = await observationsOfTraces(trx, projectId, [...mixed]);
  return {
    sorted: sortByRun([...stating, ...around]),
    mixedTraces: new Map([...traces].map(([runId, own]) => [runId, own.filter((trace) => mixed.has(trace))])),
    statedIn: statedIn(around),
  };
}

function tracesOf(runIds: readonly string[], stating: readonly ReceivedObservation[]): Map<string, string[]> {
  const traces = new Map(
    runIds.map((runId) => {
      const trace = traceOfId(runId);
      return [runId, new Set(trace === undefined ? [] : [trace])];
    }),
  );
  for (const { record, source, trace_id } of stating) {
    if (source === "otlp" && record.run_id !== undefined) traces.get(record.run_id)?.add(trace_id);
  }
  return new Map([...traces].map(([runId, own]) => [runId, [...own]]));
}

function statedIn(observations: readonly ReceivedObservation[]): Map<string, Set<string>> {
  const stated = new Map<string, Set<string>>();
  for (const { trace_id, record } of observations) {
    const runs = stated.get(trace_id) ?? new Set();
    stated.set(trace_id, runs);
    if (record.run_id !== undefined) runs.add(record.run_id);
  }
  return stated;
}

/** The run, or null where nothing is said of it. */
export function assembledAgain(runId: string, { sorted }: Evidence): AssembledRun | null {
  return sorted.ofRun.has(runId) ? assembleRun(runId, sorted) : null;
}

/** When the spans of a run start, milliseconds since 1970. */
export function startsOf(runId: string, { sorted }: Evidence): number[] {
  return (sorted.ofRun.get(runId) ?? []).map(({ start_ns }) => Number(start_ns / 1_000_000n));
}
