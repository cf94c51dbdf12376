/** Keeps episodes exact for the runs that changed: with `linker-*.ts` the only writer of what linking says. */
import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { errorCode } from "../../database/errors.ts";
import type { Database, ProjectTable } from "../../database/schema.ts";
import { Cohorts } from "./linker-cohorts.ts";
import { markOpeners, waitingRuns } from "./linker-continuations.ts";
import { addDifference, takeAway } from "./linker-difference.ts";
import { loadRows, loadRuns } from "./linker-load.ts";
import { linkedRows } from "./linker-results.ts";
import { continuationOf, type LoadedRun } from "./linker-rows.ts";
import { type Clock, noProject, settingsOf } from "./linker-settings.ts";
import { settleSome } from "./linker-settling.ts";
import type { LinkSettings } from "./types.ts";

/** Runs that one transaction links, unless the caller says otherwise. */
const RUNS_PER_TRANSACTION = 500;
export interface LinkOptions {
  readonly projectId: number;
  /** Says which episodes have settled. */
  readonly clock: Clock;
  /** Runs of one transaction. */
  readonly limit?: number;
}

/**
 * Links every run that waits, in transactions of `limit` runs, and then adds to the rollups what has settled since.
 * Several processes may do so at once: each takes runs that no other has taken, and a run that changes meanwhile waits
 * again afterwards.
 *
 * @param options - `signal` ends the work after the transaction at work.
 * @returns how many runs were linked; a run that is no longer there counts, and loses its rows.
 */
export async function linkPending(
  db: Kysely<Database>,
  { signal, ...options }: LinkOptions & { readonly signal?: AbortSignal },
): Promise<number> {
  const untilNone = async (some: () => Promise<number>): Promise<number> => {
    for (let done = 0; ; ) {
      const batch = signal?.aborted ? 0 : await some();
      if (batch === 0) return done;
      done += batch;
    }
  };
  const linked = await untilNone(() => linkSome(db, options));
  await untilNone(() => settleSome(db, { projectId: options.projectId, clock: options.clock }));
  return linked;
}

/**
 * Two linkers may each mark a run that the other has claimed (`markOpeners`), and an assembler may be among them. Of such
 * a circle Postgres ends one, which begins anew: its claims are free again, and the others have what they wait for.
 */
const DEADLOCK = "40P01";
const TRIES = 5;

/** Links what one transaction holds, and returns how many runs that were; 0 where none waits. */
export async function linkSome(
  db: Kysely<Database>,
  { projectId, clock, limit = RUNS_PER_TRANSACTION }: LinkOptions,
): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute((trx) => linkClaimed(trx, { projectId, limit, now: clock() }));
    } catch (error) {
      if (errorCode(error) !== DEADLOCK || attempt === TRIES) throw error;
    }
  }
}

async function linkClaimed(
  trx: Transaction<Database>,
  { projectId, limit, now }: { readonly projectId: number; readonly limit: number; readonly now: Date },
): Promise<number> {
  const settings = settingsOf(await lockProject(trx, projectId));
  const runIds = await claim(trx, projectId, limit);
  if (runIds.length === 0) return 0;
  const taken = await takeAway(trx, { projectId, runIds });
  const cohorts = new Cohorts();
  const mentioned = new Set<string>();
  for (const runs of await loadRuns(trx, projectId, runIds)) {
    for (const id of await linkRuns(trx, runs, { settings, now, cohorts })) mentioned.add(id);
  }
  await markOpeners(trx, projectId, [...mentioned]);
  // From here on this transaction holds rows that others want: it waits for nothing but their rows of the same tables.
  await insertCohorts(trx, projectId, cohorts);
  await addDifference(trx, { projectId, runIds }, taken);
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

/** Returns the ids of the continuations that calls of these runs speak of. */
async function linkRuns(
  trx: Transaction<Database>,
  runs: readonly LoadedRun[],
  context: { readonly settings: LinkSettings; readonly now: Date; readonly cohorts: Cohorts },
): Promise<string[]> {
  const { turns, calls } = await loadRows(trx, runs);
  const results = new Map(
    [...calls].map(([runId, rows]) => [runId, rows.map(continuationOf).filter((result) => result !== null)]),
  );
  const waiting = await waitingRuns(trx, runs[0]!.project_id, results);
  const linked = runs.map((run) => {
    const id = run.run_id;
    const rows = { turns: turns.get(id) ?? [], calls: calls.get(id) ?? [], waiting: waiting.has(id) };
    return linkedRows({ run, ...rows }, context);
  });
  const episodes = linked.flatMap((rows) => rows.episodes);
  const attempts = linked.flatMap((rows) => rows.attempts);
  const counts = linked.flatMap((rows) => rows.counts);
  await insert(trx, "episode", episodes);
  await insert(trx, "attempt", attempts);
  await insert(trx, "run_count", counts);
  return [...results.values()].flatMap((own) => own.map(({ continuationId }) => continuationId));
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

/** Adds cohorts that the dictionary lacks, in an order that other linkers keep too. */
async function insertCohorts(trx: Transaction<Database>, projectId: number, { values }: Cohorts): Promise<void> {
  if (values.size === 0) return;
  const rows = [...values].map(([cohort_id, cohort]) => ({ project_id: projectId, cohort_id, ...cohort }));
  await sql`
    insert into cohort
    -- one row per element
    select * from jsonb_populate_recordset(null::cohort, ${JSON.stringify(rows)}::jsonb)
    order by cohort_id
    on conflict (project_id, cohort_id) do nothing
  `.execute(trx);
}
