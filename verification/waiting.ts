/** Runs that wait to be assembled or linked: what is stored of them is not yet what their observations say. */
import { type Kysely, sql } from "kysely";
import type { Database } from "../database/schema.ts";
import type { Evidence } from "./assembled-again.ts";

/** `set_aside`: it cannot be assembled, and waits until more of it arrives. */
export type Waits = "waiting" | "set_aside";

/** Kinds of `unassembled`: of the run itself, of a trace, of another run that a trace is shared with. */
const OF_RUN = ["r:", "x:", "R:", "X:"];
const OF_TRACE = ["t:", "d:", "T:"];
/** Assembling this other run marks the traces that it shares, and these their runs (`collector/units.ts`). */
const OF_SHARER = ["r:", "R:"];

/** Those of the runs that wait. */
export async function waitingRuns(
  trx: Kysely<Database>,
  projectId: number,
  runIds: readonly string[],
  evidence: Evidence,
): Promise<ReadonlyMap<string, Waits>> {
  const unitsOf = new Map(runIds.map((runId) => [runId, unitsThatConcern(runId, evidence)]));
  const marked = await markedUnits(trx, projectId, [...new Set([...unitsOf.values()].flat())]);
  const dirty = await dirtyRuns(trx, projectId, runIds);
  const waits = new Map<string, Waits>();
  for (const [runId, units] of unitsOf) {
    const own = units.filter((unit) => marked.has(unit));
    if (dirty.has(runId) || own.some((unit) => !isSetAside(unit))) waits.set(runId, "waiting");
    else if (own.length > 0) waits.set(runId, "set_aside");
  }
  return waits;
}

/** Units are set aside under their kind in upper case. */
const isSetAside = (unit: string): boolean => unit.slice(0, 1) !== unit.slice(0, 1).toLowerCase();

function unitsThatConcern(runId: string, { mixedTraces, statedIn }: Evidence): string[] {
  const traces = mixedTraces.get(runId) ?? [];
  const sharers = traces.flatMap((trace) => [...(statedIn.get(trace) ?? [])]);
  return [
    ...OF_RUN.map((kind) => kind + runId),
    ...traces.flatMap((trace) => OF_TRACE.map((kind) => kind + trace)),
    ...sharers.flatMap((other) => OF_SHARER.map((kind) => kind + other)),
  ];
}

async function markedUnits(
  trx: Kysely<Database>,
  projectId: number,
  units: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ unit: string }>`
    -- one row per unit
    select unit from unassembled where project_id = ${projectId} and unit = any(${units}::text[])
  `.execute(trx);
  return new Set(rows.map(({ unit }) => unit));
}

async function dirtyRuns(
  trx: Kysely<Database>,
  projectId: number,
  runIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ run_id: string }>`
    -- one row per run
    select run_id from dirty_run where project_id = ${projectId} and run_id = any(${runIds}::text[])
  `.execute(trx);
  return new Set(rows.map(({ run_id }) => run_id));
}
