/** Assembled runs → `run`, `turn`, `call`, `dirty_run`: what was there of them is replaced. */
import { type Kysely, type RawBuilder, sql } from "kysely";
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
  const deleted = await deleteRuns(trx, projectId, [...runs.map((run) => run.run_id), ...replacement.gone]);
  const before = new Set([...deleted.continuations, ...(await deleteCalls(trx, projectId, moved))]);
  const calls = runs.flatMap(({ run_id, calls }) => calls.map((call) => ({ ...call, run_id })));
  const turns = runs.flatMap(({ run_id, turns }) => turns.map((turn) => ({ ...turn, run_id })));
  await insertRows(trx, "run", runs, runColumns(projectId));
  await insertRows(trx, "turn", turns, turnColumns(projectId));
  await insertRows(trx, "call", calls, callColumns(projectId));
  const gone = replacement.gone.filter((runId) => deleted.runIds.has(runId));
  for (const { continuation_id } of calls) if (continuation_id !== null) before.delete(continuation_id);
  const speaking = await runsThatSpeakOf(trx, projectId, [...before]);
  await markDirty(trx, projectId, [...runs.map((run) => run.run_id), ...gone, ...speaking], now);
  return runs.length + gone.length;
}

async function deleteRuns(
  trx: Kysely<Database>,
  projectId: number,
  runIds: readonly string[],
): Promise<{ readonly runIds: ReadonlySet<string>; readonly continuations: readonly string[] }> {
  const ids = arrayLiteral(runIds);
  const { rows } = await sql<{ run_id: string; started_at: Date; ended_at: Date }>`
    -- one row per run that was there
    delete from run where project_id = ${projectId} and run_id = any(${ids}::text[])
    returning run_id, started_at, ended_at
  `.execute(trx);
  if (rows.length === 0) return { runIds: new Set(), continuations: [] };
  // The times are for the planner: only the weeks of these runs are looked into.
  const from = timeCell(rows.map((run) => run.started_at.getTime()).reduce((a, b) => Math.min(a, b)));
  const to = timeCell(rows.map((run) => run.ended_at.getTime()).reduce((a, b) => Math.max(a, b)));
  const ofRuns = sql`project_id = ${projectId} and run_id = any(${ids}::text[])
    and start_time between ${from}::timestamptz and ${to}::timestamptz`;
  await sql`delete from turn where ${ofRuns}`.execute(trx);
  const continuations = await continuationsOfDeleted(trx, sql`delete from call where ${ofRuns}`);
  return { runIds: new Set(rows.map((run) => run.run_id)), continuations };
}

async function deleteCalls(
  trx: Kysely<Database>,
  projectId: number,
  calls: readonly AssembledCall[],
): Promise<readonly string[]> {
  if (calls.length === 0) return [];
  const deletion = sql`
    delete from call using unnest(
      ${arrayLiteral(calls.map((call) => bytesCell(call.trace_id)))}::bytea[],
      ${arrayLiteral(calls.map((call) => bytesCell(call.span_id)))}::bytea[],
      ${arrayLiteral(calls.map((call) => timeCell(call.start_time)))}::timestamptz[]
    ) as moved (trace_id, span_id, start_time)
    where call.project_id = ${projectId}
      and call.trace_id = moved.trace_id
      and call.span_id = moved.span_id
      and call.start_time = moved.start_time
  `;
  return continuationsOfDeleted(trx, deletion);
}

/** @param deletion - A statement that deletes calls. */
async function continuationsOfDeleted(trx: Kysely<Database>, deletion: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ continuation_id: string }>`
    -- one row per deleted call
    with deleted as (${deletion} returning call.continuation_id)
    -- one row per continuation
    select distinct continuation_id from deleted where continuation_id is not null
  `.execute(trx);
  return rows.map(({ continuation_id }) => continuation_id);
}

/** Runs of which a call speaks of these: whoever spoke of one may have closed it, and linking cannot see that any more. */
async function runsThatSpeakOf(
  trx: Kysely<Database>,
  projectId: number,
  continuations: readonly string[],
): Promise<string[]> {
  if (continuations.length === 0) return [];
  const { rows } = await sql<{ run_id: string }>`
    -- one row per run
    select distinct run_id from call
    where project_id = ${projectId} and continuation_id = any(${arrayLiteral(continuations)}::text[])
  `.execute(trx);
  return rows.map(({ run_id }) => run_id);
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
