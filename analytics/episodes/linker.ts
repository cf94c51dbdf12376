/** Keeps episodes exact for the runs that changed. The only writer of `episode`, `attempt` and `run_count`. */
import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import type { Database, ProjectTable, RunRow } from "../../database/schema.ts";
import { countCalls } from "./count.ts";
import { episodesOf } from "./episodes.ts";
import { markOpeners, waitingRuns } from "./linker-continuations.ts";
import {
  attemptRows,
  CALL_COLUMNS,
  callOf,
  continuationOf,
  countRow,
  episodeRow,
  type LoadedCall,
  TURN_COLUMNS,
  turnOf,
} from "./linker-rows.ts";
import { noProject, settingsOf } from "./linker-settings.ts";
import { CLOSES } from "./settle.ts";
import type { LinkSettings, LinkTurn } from "./types.ts";

/** Runs that one transaction links, unless the caller says otherwise. */
const RUNS_PER_TRANSACTION = 500;
/** Turns and calls that are in memory at a time, unless one run alone has more. */
const ROWS_IN_MEMORY = 20_000;

export interface LinkOptions {
  readonly projectId: number;
  /** Runs of one transaction. */
  readonly limit?: number;
}

/**
 * Links every run that waits, in transactions of `limit` runs. Several processes may do so at once: each takes runs that
 * no other has taken, and a run that changes meanwhile waits again afterwards.
 *
 * @param options - `signal` ends the work after the transaction at work.
 * @returns how many runs were linked; a run that is no longer there counts, and loses its rows.
 */
export async function linkPending(
  db: Kysely<Database>,
  { signal, ...options }: LinkOptions & { readonly signal?: AbortSignal },
): Promise<number> {
  for (let linked = 0; ; ) {
    const batch = signal?.aborted ? 0 : await linkSome(db, options);
    if (batch === 0) return linked;
    linked += batch;
  }
}

/** Links what one transaction holds, and returns how many runs that were; 0 where none waits. */
export function linkSome(
  db: Kysely<Database>,
  { projectId, limit = RUNS_PER_TRANSACTION }: LinkOptions,
): Promise<number> {
  return db.transaction().execute((trx) => linkClaimed(trx, projectId, limit));
}

async function linkClaimed(trx: Transaction<Database>, projectId: number, limit: number): Promise<number> {
  const settings = settingsOf(await lockProject(trx, projectId));
  const runIds = await claim(trx, projectId, limit);
  if (runIds.length === 0) return 0;
  for (const table of ["episode", "attempt", "run_count"] as const) {
    await trx
      .deleteFrom(table)
      .where("project_id", "=", projectId)
      .where("run_id", "=", sql<string>`any(${runIds}::text[])`)
      .execute();
  }
  const runs = await trx
    .selectFrom("run")
    .select(RUN_COLUMNS)
    .where("project_id", "=", projectId)
    .where("run_id", "=", sql<string>`any(${runIds}::text[])`)
    .execute();
  const closed = new Set<string>();
  for (const some of inPortions(runs)) for (const id of await linkRuns(trx, some, settings)) closed.add(id);
  await markOpeners(trx, projectId, [...closed]);
  return runIds.length;
}

/** Settings must not change between reading them and the commit; `applySettings` waits for this lock. */
async function lockProject(trx: Transaction<Database>, projectId: number): Promise<Selectable<ProjectTable>> {
  const project = await trx
    .selectFrom("project")
    .selectAll()
    .where("project_id", "=", projectId)
    .forShare()
    .executeTakeFirst();
  if (project === undefined) throw noProject(projectId);
  return project;
}

/** Takes the runs that wait longest. Whoever changes one of them from now on waits, and marks it again. */
async function claim(trx: Transaction<Database>, projectId: number, limit: number): Promise<string[]> {
  const { rows } = await sql<{ run_id: string }>`
    -- one row per claimed run
    delete from dirty_run
    where project_id = ${projectId} and run_id = any(array(
      -- one row per waiting run that no other linker has claimed
      select run_id from dirty_run
      where project_id = ${projectId}
      order by marked_at, run_id
      limit ${limit}
      for update skip locked
    ))
    returning run_id
  `.execute(trx);
  return rows.map((row) => row.run_id);
}

const RUN_COLUMNS = [
  "project_id",
  "run_id",
  "outcome",
  "ended",
  "turns",
  "calls",
  "started_at",
  "ended_at",
  "last_received_at",
] as const satisfies readonly (keyof RunRow)[];

type LoadedRun = Pick<RunRow, (typeof RUN_COLUMNS)[number]>;

/** Runs of one portion stand near each other in time, so that reading their rows opens few partitions. */
function inPortions(runs: readonly LoadedRun[]): LoadedRun[][] {
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

/** Returns the ids of the continuations that calls of these runs closed. */
async function linkRuns(
  trx: Transaction<Database>,
  runs: readonly LoadedRun[],
  settings: LinkSettings,
): Promise<string[]> {
  const { turns, calls } = await loadRows(trx, runs);
  const results = new Map(
    [...calls].map(([runId, rows]) => [runId, rows.map(continuationOf).filter((result) => result !== null)]),
  );
  const waiting = await waitingRuns(trx, runs[0]!.project_id, results);
  const written = runs.map((run) => {
    const key = { project_id: run.project_id, run_id: run.run_id };
    const rows = calls.get(run.run_id) ?? [];
    const counted = rows.filter(({ origin }) => origin === "model").map(callOf);
    const { episodes, roles } = episodesOf(
      {
        turns: turns.get(run.run_id) ?? [],
        calls: counted,
        ended: run.ended,
        outcome: run.outcome,
        waiting: waiting.has(run.run_id),
        lastReceivedAt: run.last_received_at.getTime(),
      },
      settings,
    );
    const byKey = new Map(counted.map((call) => [call.key, call]));
    return {
      episodes: episodes.map((episode) => episodeRow(key, episode, byKey.get(episode.opening.key)!)),
      attempts: episodes.flatMap((episode) => attemptRows(key, episode)),
      counts: countCalls(counted, roles).map((count) => countRow(key, count)),
    };
  });
  await insert(
    trx,
    "episode",
    written.flatMap(({ episodes }) => episodes),
  );
  await insert(
    trx,
    "attempt",
    written.flatMap(({ attempts }) => attempts),
  );
  await insert(
    trx,
    "run_count",
    written.flatMap(({ counts }) => counts),
  );
  return [...results.values()].flatMap((own) =>
    own.filter(({ state }) => CLOSES.includes(state ?? "")).map(({ continuationId }) => continuationId),
  );
}

async function loadRows(
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

/** One statement whatever the number of rows: a list of values would end at 65,535 parameters. */
async function insert(
  trx: Transaction<Database>,
  table: "episode" | "attempt" | "run_count",
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into ${sql.table(table)}
    -- one row per element
    select * from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::jsonb)
  `.execute(trx);
}
