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
 * Marks the runs that were linked as waiting for a continuation which these closings end. Only those that wait no longer
 * are marked: two runs that close each other's would mark each other for ever.
 *
 * @param closed continuation ids that runs linked just now have closed.
 */
export async function markOpeners(
  trx: Transaction<Database>,
  projectId: number,
  closed: readonly string[],
): Promise<void> {
  if (closed.length === 0) return;
  const { rows } = await sql<Pick<CallRow, (typeof COLUMNS)[number]>>`
    -- one row per call that said something of a continuation, of each run that opened one of these and waits for ever
    select ${sql.join(COLUMNS.map((column) => sql.ref(`call.${column}`)))}
    from call
    where call.project_id = ${projectId} and call.continuation_id is not null and call.run_id in (
      select opening.run_id from call as opening
      join episode on episode.project_id = opening.project_id and episode.run_id = opening.run_id
        and episode.settles_at = 'infinity'
      where opening.project_id = ${projectId} and opening.continuation_id = any(${closed}::text[])
        and opening.result_state = any(${OPENS}::text[])
    )
  `.execute(trx);
  if (rows.length === 0) return;
  const results = new Map(
    [...Map.groupBy(rows, (row) => row.run_id)].map(([runId, own]) => [
      runId,
      own.map(continuationOf).filter((result) => result !== null),
    ]),
  );
  const waiting = await waitingRuns(trx, projectId, results);
  const free = [...results.keys()].filter((runId) => !waiting.has(runId));
  if (free.length === 0) return;
  await sql`
    insert into dirty_run (project_id, run_id, marked_at)
    -- one row per run, in an order that others who mark several runs keep too; it waits since the closing result came
    select call.project_id, freed.run_id, max(call.received_at)
    from unnest(${free}::text[]) as freed (run_id)
    join call on call.project_id = ${projectId} and call.continuation_id = any(${closed}::text[])
    group by call.project_id, freed.run_id
    order by freed.run_id collate "C"
    on conflict (project_id, run_id) do nothing
  `.execute(trx);
}
