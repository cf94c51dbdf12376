/** Assembled runs → `run`, `turn`, `call`, `dirty_run`: what was there of them is replaced. */
import { type Kysely, sql } from "kysely";
import type { Database } from "../database/schema.ts";
import { arrayLiteral, bytesCell } from "./array-literal.ts";
import { callColumns, runColumns, turnColumns } from "./assembled-columns.ts";
import type { AssembledCall, AssembledRun } from "./assembly/types.ts";
import { insertRows, timeCell } from "./insert-rows.ts";

export interface Replacement {
  readonly projectId: number;
  readonly now: Date;
  readonly runs: readonly AssembledRun[];
  /** Runs of which nothing is left. */
  readonly gone: readonly string[];
  /** Calls that may have stood in another run until now. */
  readonly moved: readonly AssembledCall[];
}

/** Returns how many runs were written or removed. */
export async function replaceRuns(trx: Kysely<Database>, replacement: Replacement): Promise<number> {
  const { projectId, now, runs, moved } = replacement;
  const known = await deleteRuns(trx, projectId, [...runs.map((run) => run.run_id), ...replacement.gone]);
  await deleteCalls(trx, projectId, moved);
  const calls = runs.flatMap(({ run_id, calls }) => calls.map((call) => ({ ...call, run_id })));
  const turns = runs.flatMap(({ run_id, turns }) => turns.map((turn) => ({ ...turn, run_id })));
  await insertRows(trx, "run", runs, runColumns(projectId));
  await insertRows(trx, "turn", turns, turnColumns(projectId));
  await insertRows(trx, "call", calls, callColumns(projectId));
  const gone = replacement.gone.filter((runId) => known.has(runId));
  await markDirty(trx, projectId, [...runs.map((run) => run.run_id), ...gone], now);
  return runs.length + gone.length;
}

async function deleteRuns(
  trx: Kysely<Database>,
  projectId: number,
  runIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const ids = arrayLiteral(runIds);
  const { rows } = await sql<{ run_id: string; started_at: Date; ended_at: Date }>`
    -- one row per run that was there
    delete from run where project_id = ${projectId} and run_id = any(${ids}::text[])
    returning run_id, started_at, ended_at
  `.execute(trx);
  if (rows.length === 0) return new Set();
  // The times are for the planner: only the weeks of these runs are looked into.
  const from = timeCell(rows.map((run) => run.started_at.getTime()).reduce((a, b) => Math.min(a, b)));
  const to = timeCell(rows.map((run) => run.ended_at.getTime()).reduce((a, b) => Math.max(a, b)));
  for (const table of ["call", "turn"] as const) {
    await sql`
      delete from ${sql.table(table)}
      where project_id = ${projectId}
        and run_id = any(${ids}::text[])
        and start_time between ${from}::timestamptz and ${to}::timestamptz
    `.execute(trx);
  }
  return new Set(rows.map((run) => run.run_id));
}

async function deleteCalls(trx: Kysely<Database>, projectId: number, calls: readonly AssembledCall[]): Promise<void> {
  if (calls.length === 0) return;
  await sql`
    delete from call using unnest(
      ${arrayLiteral(calls.map((call) => bytesCell(call.trace_id)))}::bytea[],
      ${arrayLiteral(calls.map((call) => bytesCell(call.span_id)))}::bytea[],
      ${arrayLiteral(calls.map((call) => timeCell(call.start_time)))}::timestamptz[]
    ) as moved (trace_id, span_id, start_time)
    where call.project_id = ${projectId}
      and call.trace_id = moved.trace_id
      and call.span_id = moved.span_id
      and call.start_time = moved.start_time
  `.execute(trx);
}

/** In sorted order, so that two assemblers wait for each other and never in a circle. */
async function markDirty(
  trx: Kysely<Database>,
  projectId: number,
  runIds: readonly string[],
  now: Date,
): Promise<void> {
  if (runIds.length === 0) return;
  await sql`
    insert into dirty_run (project_id, run_id, marked_at)
    select ${projectId}::integer, run_id, ${now.toISOString()}::timestamptz
    from unnest(${arrayLiteral([...new Set(runIds)].sort())}::text[]) as run_id
    on conflict (project_id, run_id) do update set marked_at = excluded.marked_at
  `.execute(trx);
}
