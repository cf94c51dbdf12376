import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/schema.ts";

/** Runs that wait to be assembled or linked: calls of a run that waits are in no rate. */
export interface Waiting {
  /** How many runs (or traces, where no span names a run) wait. */
  readonly count: number;
  /** A subquery with the ids of the stored runs among them, named `run_id`; null where none waits. */
  readonly runs: RawBuilder<unknown> | null;
}

/** Up to so many runs are named one by one. */
const MOST_NAMED = 2_000;

/**
 * The runs that wait now.
 *
 * They are read once an answer and then named, because rows come and go in both queues all the time: a plan that relies
 * on what statistics believe of their sizes may read every run's rows for a handful of ids. Where none waits, which is
 * most of the time, nothing needs to be subtracted or left out.
 */
export async function waitingRuns(db: Kysely<Database>, projectId: number): Promise<Waiting> {
  const counted = await sql<{ runs: number }>`
    -- one row
    select count(*)::float8 as runs
    from (
      -- one row per run (or trace, where no span names a run) that waits
      select d.run_id from dirty_run as d where d.project_id = ${projectId}
      union
      select substr(u.unit, 3) from unassembled as u where u.project_id = ${projectId}
    ) as waiting
  `.execute(db);
  const count = counted.rows[0]?.runs ?? 0;
  if (count === 0) return { count, runs: null };
  const stored = storedRuns(projectId);
  const { rows } = await sql<{ run_id: string }>`
    -- one row per stored run that waits
    select w.run_id from (${stored}) as w limit ${MOST_NAMED + 1}
  `.execute(db);
  if (rows.length === 0) return { count, runs: null };
  if (rows.length > MOST_NAMED) return { count, runs: stored };
  return { count, runs: sql`select unnest(${rows.map(({ run_id }) => run_id)}::text[]) as run_id` };
}

/**
 * A unit of `unassembled` is a letter, a colon, and a run id or a trace id; a run that no span names has its trace's id,
 * or begins with it. Between an id and the same id followed by `g` lie, in every order of texts, the ids that go on with
 * hexadecimal digits: a range that the primary key of runs answers.
 */
function storedRuns(projectId: number): RawBuilder<unknown> {
  return sql`
      -- one row per run that waits to be linked, or whose spans wait to be assembled
      select d.run_id from dirty_run as d where d.project_id = ${projectId}
      union
      select r.run_id
      from unassembled as u
      join run as r
        on r.project_id = u.project_id
        and r.run_id >= substr(u.unit, 3) and r.run_id < substr(u.unit, 3) || 'g'
        and (r.run_id = substr(u.unit, 3) or left(r.run_id, 32) = substr(u.unit, 3))
      where u.project_id = ${projectId}`;
}

/** The run does not wait. */
export function linked({ runs }: Waiting, runId: RawBuilder<unknown>): RawBuilder<boolean> {
  return runs === null ? sql`true` : sql`${runId} not in (${runs})`;
}
