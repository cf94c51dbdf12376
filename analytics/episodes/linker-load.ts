/** Reads the runs that are to be linked, with their turns and calls. */
import { sql, type Transaction } from "kysely";
import type { Database } from "../../database/schema.ts";
import { CALL_COLUMNS, type LoadedCall, type LoadedRun, RUN_COLUMNS, TURN_COLUMNS, turnOf } from "./linker-rows.ts";
import type { LinkTurn } from "./types.ts";

/** Turns and calls that are in memory at a time, unless one run alone has more. */
const ROWS_IN_MEMORY = 20_000;

/**
 * The runs, in portions whose rows fit into memory. Runs of one portion stand near each other in time, so that reading
 * their rows opens few partitions.
 */
export async function loadRuns(
  trx: Transaction<Database>,
  projectId: number,
  runIds: readonly string[],
): Promise<LoadedRun[][]> {
  const runs = await trx
    .selectFrom("run")
    .select(RUN_COLUMNS)
    .where("project_id", "=", projectId)
    .where("run_id", "=", sql<string>`any(${runIds}::text[])`)
    .execute();
  const portions: LoadedRun[][] = [];
  let rows = 0;
  for (const run of runs.toSorted((a, b) => a.started_at.getTime() - b.started_at.getTime())) {
    rows += run.turns + run.calls;
    const portion = portions.at(-1);
    if (portion !== undefined && rows <= ROWS_IN_MEMORY) portion.push(run);
    else {
      portions.push([run]);
      rows = run.turns + run.calls;
    }
  }
  return portions;
}

/** Turns and calls by run id: calls that the model proposed, and those of any origin that speak of a continuation. */
export async function loadRows(
  trx: Transaction<Database>,
  runs: readonly LoadedRun[],
): Promise<{ turns: Map<string, LinkTurn[]>; calls: Map<string, LoadedCall[]> }> {
  const project = runs[0]!.project_id;
  const runIds = sql<string>`any(${runs.map((run) => run.run_id)}::text[])`;
  const from = new Date(Math.min(...runs.map((run) => run.started_at.getTime())));
  // A Date is cut off to milliseconds, a stored time is not.
  const to = new Date(Math.max(...runs.map((run) => run.ended_at.getTime())) + 1);
  const turns = await trx
    .selectFrom("turn")
    .select(TURN_COLUMNS)
    .where("project_id", "=", project)
    .where("run_id", "=", runIds)
    .where("start_time", ">=", from)
    .where("start_time", "<", to)
    .execute();
  const calls = await trx
    .selectFrom("call")
    .select(CALL_COLUMNS)
    .where("project_id", "=", project)
    .where("run_id", "=", runIds)
    .where("start_time", ">=", from)
    .where("start_time", "<", to)
    .where((at) => at.or([at("origin", "=", "model"), at("continuation_id", "is not", null)]))
    .execute();
  const turnsOfRun = Map.groupBy(turns, (row) => row.run_id);
  return {
    turns: new Map([...turnsOfRun].map(([runId, rows]) => [runId, rows.map(turnOf)])),
    calls: Map.groupBy(calls, (row) => row.run_id),
  };
}
