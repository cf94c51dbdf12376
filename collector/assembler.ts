/** Observations that wait → runs, turns and calls, and marks for the linker. Several processes may do it at once. */
import { type Kysely, sql } from "kysely";
import { errorCode, isMissingPartition } from "../database/errors.ts";
import { ensurePartitions, forgetPartitions } from "../database/partitions.ts";
import type { Database } from "../database/schema.ts";
import { arrayLiteral } from "./array-literal.ts";
import { assembleRun, sortByRun } from "./assemble.ts";
import { agentSpanRunId } from "./assembly/run-of-span.ts";
import type { AssembledRun } from "./assembly/types.ts";
import { observationsOfRuns, observationsOfTraces, statedRuns, tracesWithRunlessSpans } from "./load-observations.ts";
import { type Replacement, replaceRuns } from "./replace-runs.ts";
import type { Clock } from "./store.ts";
import { LEVELS, markUnits, rerunUnit, retraceUnit, subject } from "./units.ts";

export interface AssembleOptions {
  readonly clock: Clock;
  readonly projectId: number;
  /** Units of one transaction; 200 if absent. Arrivals of the same runs wait for it, so it is kept short. */
  readonly limit?: number;
}

/** What a transaction writes, and the units that it marks. */
type Work = Pick<Replacement, "runs" | "gone" | "moved"> & { readonly marks: readonly string[] };

/**
 * Assembles until nothing waits, except what another process is just assembling. The result is the same in whatever
 * order observations came. Returns how many runs were written, one that was written twice counted twice.
 */
export async function assemblePending(db: Kysely<Database>, options: AssembleOptions): Promise<number> {
  let written = 0;
  for (;;) {
    let units = 0;
    for (const level of LEVELS) {
      const pass = await onePass(db, level, options);
      units += pass.units;
      written += pass.runs;
    }
    if (units === 0) return written;
  }
}

const TRIES = 5;

async function onePass(
  db: Kysely<Database>,
  level: readonly string[],
  options: AssembleOptions,
): Promise<{ units: number; runs: number }> {
  const times: Date[] = [];
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute((trx) => assembleUnits(trx, level, options, times));
    } catch (error) {
      if (attempt === TRIES) throw error;
      if (isMissingPartition(error)) {
        forgetPartitions(db);
        for (const table of ["turn", "call"] as const) await ensurePartitions(db, table, times);
      } else if (errorCode(error) !== DEADLOCK) throw error;
    }
  }
}

/** Two processes may move one call to different runs; one of them begins anew (PostgreSQL manual, appendix A). */
const DEADLOCK = "40P01";

async function assembleUnits(
  trx: Kysely<Database>,
  level: readonly string[],
  { clock, projectId, limit = 200 }: AssembleOptions,
  times: Date[],
): Promise<{ units: number; runs: number }> {
  const units = await claim(trx, level, projectId, limit);
  if (units.length === 0) return { units: 0, runs: 0 };
  const subjects = [...new Set(units.map(subject))];
  const work = level.includes("t:")
    ? await runsOfTraces(trx, projectId, subjects)
    : await statedRunsOf(trx, projectId, subjects);
  const now = clock();
  times.push(...work.runs.flatMap((run) => [...run.turns, ...run.calls].map((row) => new Date(row.start_time))));
  // Marks before rows: who waits for a mark then holds no row that the other may need.
  if (level.includes("r:") || level.includes("t:")) await markUnits(trx, projectId, work.marks, now);
  return { units: units.length, runs: await replaceRuns(trx, { ...work, projectId, now }) };
}

/** Takes units off the list, up to the end of this transaction; those whose run or trace another one holds stay. */
async function claim(
  trx: Kysely<Database>,
  level: readonly string[],
  projectId: number,
  limit: number,
): Promise<string[]> {
  const waiting = await sql<{ unit: string }>`
    -- one row per unit
    select unit
    from unassembled
    where project_id = ${projectId} and left(unit, 2) = any(${arrayLiteral(level)}::text[])
    order by marked_at, unit
    limit ${limit}
    for update skip locked
  `.execute(trx);
  if (waiting.rows.length === 0) return [];
  const kind = level.includes("t:") ? "trace" : "run";
  const byLock = Map.groupBy(waiting.rows, ({ unit }) => `mulligan/${projectId}/${kind}/${subject(unit)}`);
  const locks = await sql<{ name: string; held: boolean }>`
    -- one row per run or trace
    select name, pg_try_advisory_xact_lock(hashtextextended(name, 0)) as held
    from unnest(${arrayLiteral([...byLock.keys()])}::text[]) as name
  `.execute(trx);
  const units = locks.rows
    .filter((lock) => lock.held)
    .flatMap((lock) => byLock.get(lock.name)!.map(({ unit }) => unit));
  await sql`
    delete from unassembled where project_id = ${projectId} and unit = any(${arrayLiteral(units)}::text[])
  `.execute(trx);
  return units;
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
