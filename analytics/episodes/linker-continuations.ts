/** Continuations across runs: one that a run opened may be closed in whatever run (METRICS.md, *Continuations*). */
import { sql, type Transaction } from "kysely";
import type { CallRow, Database } from "../../database/schema.ts";
import { continuationOf } from "./linker-rows.ts";
import { CLOSES, type ContinuationResult, isWaiting, OPENS } from "./settle.ts";

const COLUMNS = [
  "run_id",
  "turn",
  "ordinal",
  "end_time",
  "result_state",
  "continuation_id",
] as const satisfies readonly (keyof CallRow)[];

/**
 * Which of these runs wait for a continuation that no run has closed.
 *
 * @param results what the calls of each run said of continuations, by run id.
 */
export async function waitingRuns(
  trx: Transaction<Database>,
  projectId: number,
  results: ReadonlyMap<string, readonly ContinuationResult[]>,
): Promise<Set<string>> {
  const open = [...results].filter(([, own]) => isWaiting(own));
  if (open.length === 0) return new Set();
  const ids = new Set(open.flatMap(([, own]) => own.map(({ continuationId }) => continuationId)));
  const rows = await trx
    .selectFrom("call")
    .select(COLUMNS)
    .where("project_id", "=", projectId)
    .where("continuation_id", "=", sql<string>`any(${[...ids]}::text[])`)
    .where("result_state", "in", CLOSES)
    .execute();
  const closing = Map.groupBy(rows, (row) => row.continuation_id);
  return new Set(
    open
      .filter(([, own]) => {
        const named = new Set(own.map(({ continuationId }) => continuationId));
        const closed = [...named].flatMap((id) => closing.get(id) ?? []).map(continuationOf);
        return isWaiting([...own, ...closed.filter((result) => result !== null)]);
      })
      .map(([runId]) => runId),
  );
}

/**
 * Marks the runs that opened one of these continuations and were linked as something else than what holds now: as
 * waiting, or as waiting no longer. No others: two runs that close each other's would mark each other for ever. A run
 * without episodes was linked as neither, for nothing of it depends on that; nor does anything of a run that has ended.
 *
 * A run that is being linked elsewhere, or was to be when this looked, is marked whatever holds: its linker may not have
 * seen the calls that were linked here. This waits for that linker to end, and holds none of the rollups meanwhile.
 *
 * @param mentioned continuation ids of which calls of the runs linked just now speak, in whatever state: a closing may
 *   have come, and one that was there may say something else now.
 */
export async function markOpeners(
  trx: Transaction<Database>,
  projectId: number,
  mentioned: readonly string[],
): Promise<void> {
  if (mentioned.length === 0) return;
  const openers = await openersOf(trx, projectId, mentioned);
  const linked = openers.filter((opener) => !opener.to_be_linked && opener.waited !== null);
  const changed = await runsThatChanged(trx, projectId, new Map(linked.map(({ run_id, waited }) => [run_id, waited])));
  const toBeLinked = openers.filter((opener) => opener.to_be_linked).map(({ run_id }) => run_id);
  const marked = [...toBeLinked, ...changed];
  if (marked.length === 0) return;
  await sql`
    insert into dirty_run (project_id, run_id, marked_at)
    -- one row per run, in an order that others who mark several runs keep too; it waits since the last result came
    select call.project_id, marked.run_id, max(call.received_at)
    from unnest(${marked}::text[]) as marked (run_id)
    join call on call.project_id = ${projectId} and call.continuation_id = any(${mentioned}::text[])
    group by call.project_id, marked.run_id
    order by marked.run_id collate "C"
    on conflict (project_id, run_id) do nothing
  `.execute(trx);
}

interface Opener {
  readonly run_id: string;
  /** As what it was linked; null where it has no episode. */
  readonly waited: boolean | null;
  /** Marked, or claimed by a linker that has not committed: what it deletes is still seen. */
  readonly to_be_linked: boolean;
}

/** In one statement, so that a run whose linker commits meanwhile is seen as to be linked, or as what it was linked. */
async function openersOf(
  trx: Transaction<Database>,
  projectId: number,
  continuationIds: readonly string[],
): Promise<Opener[]> {
  const { rows } = await sql<Opener>`
    -- one row per run that opened one of these and has not ended
    select
      opener.run_id,
      (
        select bool_or(episode.waiting) from episode
        where episode.project_id = ${projectId} and episode.run_id = opener.run_id
      ) as waited,
      exists (
        select from dirty_run where dirty_run.project_id = ${projectId} and dirty_run.run_id = opener.run_id
      ) as to_be_linked
    from (
      select distinct run_id from call
      where project_id = ${projectId} and continuation_id = any(${continuationIds}::text[])
        and result_state = any(${OPENS}::text[])
    ) as opener
    join run on run.project_id = ${projectId} and run.run_id = opener.run_id and not run.ended
  `.execute(trx);
  return rows;
}

/** @param waited as what each run was linked. */
async function runsThatChanged(
  trx: Transaction<Database>,
  projectId: number,
  waited: ReadonlyMap<string, boolean | null>,
): Promise<string[]> {
  if (waited.size === 0) return [];
  const rows = await trx
    .selectFrom("call")
    .select(COLUMNS)
    .where("project_id", "=", projectId)
    .where("run_id", "=", sql<string>`any(${[...waited.keys()]}::text[])`)
    .where("continuation_id", "is not", null)
    .execute();
  const results = new Map(
    [...Map.groupBy(rows, (row) => row.run_id)].map(([runId, own]) => [
      runId,
      own.map(continuationOf).filter((result) => result !== null),
    ]),
  );
  const waiting = await waitingRuns(trx, projectId, results);
  return [...waited].filter(([runId, before]) => waiting.has(runId) !== before).map(([runId]) => runId);
}
