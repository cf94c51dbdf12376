/** Observations that wait → runs, turns and calls, and marks for the linker. Several processes may do it at once. */
import { type Kysely, sql } from "kysely";
import { errorCode, isMissingPartition } from "../database/errors.ts";
import { ensurePartitions, forgetPartitions } from "../database/partitions.ts";
import type { Database } from "../database/schema.ts";
import { assembleRun, sortByRun } from "./assemble.ts";
import { agentSpanRunId } from "./assembly/run-of-span.ts";
import type { AssembledRun } from "./assembly/types.ts";
import { claimUnits } from "./claim-units.ts";
import { observationsOfRuns, observationsOfTraces, statedRuns, tracesWithRunlessSpans } from "./load-observations.ts";
import { type Replacement, replaceRuns } from "./replace-runs.ts";
import { isOfData, setAside } from "./set-aside.ts";
import type { Clock } from "./store.ts";
import { LEVELS, markUnits, rerunUnit, retraceUnit, subject } from "./units.ts";

export interface AssembleOptions {
  readonly clock: Clock;
  readonly projectId: number;
  /** Units of one transaction; 200 if absent. Arrivals of the same runs wait for it, so it is kept short. */
  readonly limit?: number;
  /** Ends the work after the transaction at work. */
  readonly signal?: AbortSignal;
  /** Hears of a unit that cannot be assembled and was set aside. The error's text may hold what was sent. */
  readonly onSetAside?: (error: unknown) => void;
}

/** Observations of one transaction, unless one run or trace alone has more. */
const OBSERVATIONS_PER_TRANSACTION = 20_000;

/** What a transaction writes, and the units that it marks. */
type Work = Pick<Replacement, "runs" | "gone" | "moved"> & { readonly marks: readonly string[] };

/** Units that were taken up, and runs that were written. */
export interface Assembled {
  readonly units: number;
  readonly runs: number;
}

/**
 * Assembles until nothing waits, except what another process is just assembling and what cannot be assembled. The
 * result is the same in whatever order observations came. Returns how many runs were written, one that was written
 * twice counted twice.
 */
export async function assemblePending(db: Kysely<Database>, options: AssembleOptions): Promise<number> {
  for (let written = 0; ; ) {
    const { units, runs } = await assembleSome(db, options);
    written += runs;
    if (units === 0) return written;
  }
}

/** Assembles what three transactions hold, one a level: a share of the work, so that other work has its turn too. */
export async function assembleSome(db: Kysely<Database>, options: AssembleOptions): Promise<Assembled> {
  let units = 0;
  let runs = 0;
  for (const level of LEVELS) {
    if (options.signal?.aborted) break;
    const pass = await onePass(db, level, options);
    units += pass.units;
    runs += pass.runs;
  }
  return { units, runs };
}

const TRIES = 5;

/** What a transaction had reached when it failed. */
interface Reached {
  units: number;
  times: Set<number>;
}

/** A pass that its data bring down is halved until one unit is alone with its error. */
async function onePass(db: Kysely<Database>, level: readonly string[], options: AssembleOptions): Promise<Assembled> {
  let { limit = 200 } = options;
  for (let attempt = 1; ; ) {
    const reached: Reached = { units: 0, times: new Set() };
    try {
      return await db.transaction().execute((trx) => assembleUnits(trx, level, { ...options, limit }, reached));
    } catch (error) {
      if (isOfData(error) && reached.units > 1) limit = Math.ceil(reached.units / 2);
      else if (attempt === TRIES) throw error;
      else if (isMissingPartition(error)) {
        forgetPartitions(db);
        const times = [...reached.times].map((time) => new Date(time));
        for (const table of ["turn", "call"] as const) await ensurePartitions(db, table, times);
        attempt += 1;
      } else if (errorCode(error) === DEADLOCK) attempt += 1;
      else throw error;
    }
  }
}

/** Two processes may move one call to different runs; one of them begins anew (PostgreSQL manual, appendix A). */
const DEADLOCK = "40P01";

async function assembleUnits(
  trx: Kysely<Database>,
  level: readonly string[],
  { clock, projectId, limit, onSetAside }: AssembleOptions & { readonly limit: number },
  reached: Reached,
): Promise<Assembled> {
  const units = await claimUnits(trx, level, projectId, { units: limit, observations: OBSERVATIONS_PER_TRANSACTION });
  reached.units = units.length;
  if (units.length === 0) return { units: 0, runs: 0 };
  await sql`savepoint claimed`.execute(trx);
  try {
    return { units: units.length, runs: await writeRuns(trx, level, projectId, units, clock(), reached.times) };
  } catch (error) {
    if (units.length > 1 || !isOfData(error)) throw error;
    // Still claimed, so that no arrival of the unit can come between: the next one marks it again.
    await sql`rollback to savepoint claimed`.execute(trx);
    await setAside(trx, projectId, units[0]!, clock());
    onSetAside?.(error);
    return { units: 1, runs: 0 };
  }
}

async function writeRuns(
  trx: Kysely<Database>,
  level: readonly string[],
  projectId: number,
  units: readonly string[],
  now: Date,
  times: Set<number>,
): Promise<number> {
  const subjects = [...new Set(units.map(subject))];
  const work = level.includes("t:")
    ? await runsOfTraces(trx, projectId, subjects)
    : await statedRunsOf(trx, projectId, subjects);
  for (const run of work.runs) for (const row of [...run.turns, ...run.calls]) times.add(row.start_time);
  // Marks before rows: who waits for a mark then holds no row that the other may need.
  if (level.includes("r:") || level.includes("t:")) await markUnits(trx, projectId, work.marks, now);
  return replaceRuns(trx, { ...work, projectId, now });
}

/** Runs that spans state, with the spans that state none and stand inside them. */
async function statedRunsOf(trx: Kysely<Database>, projectId: number, runIds: readonly string[]): Promise<Work> {
  const stating = await observationsOfRuns(trx, projectId, runIds);
  const traces = new Set(stating.filter((one) => one.source === "otlp").map((one) => one.trace_id));
  for (const runId of runIds) {
    // A run may be stated under the very id that a trace without run ids gives.
    const trace = /^([0-9a-f]{32})(-[0-9a-f]{16})?$/.exec(runId)?.[1];
    if (trace !== undefined) traces.add(trace);
  }
  const mixed = await tracesWithRunlessSpans(trx, projectId, [...traces]);
  const around = await observationsOfTraces(trx, projectId, mixed);
  const sorted = sortByRun([...stating, ...around]);
  const runs = runIds.filter((runId) => sorted.ofRun.has(runId)).map((runId) => assembleRun(runId, sorted));
  const mixedTraces = new Set(mixed);
  const moved = runs.flatMap((run) => run.calls).filter((call) => mixedTraces.has(call.trace_id));
  return { runs, gone: [], moved, marks: mixed.map(retraceUnit) };
}

/** Runs that no span states: a trace, or an agent span in it. */
async function runsOfTraces(trx: Kysely<Database>, projectId: number, traceIds: readonly string[]): Promise<Work> {
  const sorted = sortByRun(await observationsOfTraces(trx, projectId, traceIds));
  const stated = new Set<string>();
  const possible = new Set(traceIds);
  for (const observation of sorted.tree.observations) {
    if (observation.record.run_id !== undefined) stated.add(observation.record.run_id);
    else if (observation.record.type === "run") possible.add(agentSpanRunId(observation));
  }
  for (const runId of await statedRuns(trx, projectId, [...possible])) stated.add(runId);
  const runs: AssembledRun[] = [];
  const gone: string[] = [];
  for (const runId of possible) {
    if (stated.has(runId)) continue;
    if (sorted.ofRun.has(runId)) runs.push(assembleRun(runId, sorted));
    else gone.push(runId);
  }
  return { runs, gone, moved: runs.flatMap((run) => run.calls), marks: [...stated].map(rerunUnit) };
}
