/** What is stored of some runs, by run. */
import { type Kysely, sql } from "kysely";
import type { AttemptRow, CallRow, Database, EpisodeRow, RunCountRow, RunRow, TurnRow } from "../database/schema.ts";

/** Tables whose rows each belong to one run. */
interface RowOf {
  readonly run: RunRow;
  readonly turn: TurnRow;
  readonly call: CallRow;
  readonly run_count: RunCountRow;
  readonly episode: EpisodeRow;
  readonly attempt: AttemptRow;
}
/** The rows of one run. */
export type StoredRun = { readonly [Table in keyof RowOf]: readonly RowOf[Table][] };

/**
 * Every row of these runs, whatever its time: a row that stands where it should not is found too.
 *
 * @returns one entry per run id, empty where nothing is stored.
 */
export async function storedRuns(
  trx: Kysely<Database>,
  projectId: number,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, StoredRun>> {
  const rows = {
    run: await load(trx, "run", projectId, runIds),
    turn: await load(trx, "turn", projectId, runIds),
    call: await load(trx, "call", projectId, runIds),
    run_count: await load(trx, "run_count", projectId, runIds),
    episode: await load(trx, "episode", projectId, runIds),
    attempt: await load(trx, "attempt", projectId, runIds),
  };
  return new Map(
    runIds.map((runId) => [
      runId,
      {
        run: rows.run.get(runId) ?? [],
        turn: rows.turn.get(runId) ?? [],
        call: rows.call.get(runId) ?? [],
        run_count: rows.run_count.get(runId) ?? [],
        episode: rows.episode.get(runId) ?? [],
        attempt: rows.attempt.get(runId) ?? [],
      },
    ]),
  );
}

async function load<Table extends keyof RowOf>(
  trx: Kysely<Database>,
  table: Table,
  projectId: number,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, RowOf[Table][]>> {
  const { rows } = await sql<RowOf[Table]>`
    -- one row per row of these runs
    select * from ${sql.table(table)} where project_id = ${projectId} and run_id = any(${runIds}::text[])
  `.execute(trx);
  return Map.groupBy(rows, (row) => row.run_id);
}

/** When the rows of a run stand, milliseconds since 1970; `attempt` has no time. */
export function timesOf({ run, turn, call, run_count, episode }: StoredRun): number[] {
  return [
    ...run.map((row) => row.started_at),
    ...turn.map((row) => row.start_time),
    ...call.map((row) => row.start_time),
    ...run_count.map((row) => row.minute),
    ...episode.map((row) => row.opened_at),
  ].map(Number);
}
