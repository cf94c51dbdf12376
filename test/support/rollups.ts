/** What the linker derives from rows, for tests that write the rows themselves. */
import { type Kysely, sql } from "kysely";
import { type CohortValues, cohortId } from "../../analytics/episodes/linker-cohorts.ts";
import {
  CALL_COUNTERS,
  EPISODE_COUNTERS,
  EPISODE_KEYS,
  episodeContribution,
} from "../../analytics/episodes/linker-contributions.ts";
import type { Database, NewRunRow } from "../../database/schema.ts";
import type { WideCount } from "./rows.ts";

type Wide = Omit<CohortValues, "timed"> & { readonly project_id: number; readonly run_id: string };

/** Rows with the id of their cohort in place of its values, which the dictionary gets. */
export async function withCohorts<Row extends Wide>(
  db: Kysely<Database>,
  rows: readonly Row[],
  runs: readonly NewRunRow[],
): Promise<(Omit<Row, keyof CohortValues> & { cohort_id: string })[]> {
  const timeless = new Set(runs.filter(({ time_source }) => time_source === "import").map(({ run_id }) => run_id));
  const cohorts = new Map<string, CohortValues & { project_id: number; cohort_id: string }>();
  const narrow = rows.map((row) => {
    const { tool, tool_source, schema_version, template_version, model, agent_name, environment, ...some } = row;
    const { risk, external, fingerprint, failure_class, rung, retryability, flags, ...rest } = some;
    const values: CohortValues = {
      ...{ tool, tool_source, schema_version, template_version, model, agent_name, environment, risk, external },
      ...{ fingerprint, failure_class, rung, retryability, flags },
      timed: !timeless.has(row.run_id),
    };
    const cohort_id = cohortId(values);
    cohorts.set(cohort_id, { ...values, project_id: row.project_id, cohort_id });
    return { ...rest, cohort_id };
  });
  for (const some of chunks([...cohorts.values()])) {
    await db
      .insertInto("cohort")
      .values(some.map((cohort) => ({ ...cohort, flags: JSON.stringify(cohort.flags) })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  return narrow as (Omit<Row, keyof CohortValues> & { cohort_id: string })[];
}

/** Rows with the run counted where its first call stands, and where its first call to each tool does; ties by order. */
export function withPlaces(counts: readonly WideCount[], runs: readonly NewRunRow[]): WideCount[] {
  const outcomes = new Map(runs.map((run) => [run.run_id, run]));
  const firstOf = (rows: readonly WideCount[]) =>
    rows.reduce((first, row) => (timeOf(row) < timeOf(first) ? row : first));
  const firsts = new Set(grouped(counts, ({ run_id }) => run_id).map(firstOf));
  const toolFirsts = new Set(
    grouped(counts, (row) => JSON.stringify([row.run_id, row.tool, row.tool_source])).map(firstOf),
  );
  return counts.map((row) => {
    const { ended, outcome } = outcomes.get(row.run_id)!;
    const stands = (is: boolean) => [
      is,
      is && ended,
      is && ended && outcome !== null,
      is && ended && outcome === "completed",
    ];
    const [runs, runs_ended, runs_known, runs_completed] = stands(firsts.has(row)).map(Number);
    const [tool_runs, tool_runs_ended, tool_runs_known, tool_runs_completed] = stands(toolFirsts.has(row)).map(Number);
    return {
      ...row,
      ...{ runs: runs!, runs_ended: runs_ended!, runs_known: runs_known!, runs_completed: runs_completed! },
      ...{ tool_runs: tool_runs!, tool_runs_ended: tool_runs_ended! },
      ...{ tool_runs_known: tool_runs_known!, tool_runs_completed: tool_runs_completed! },
    };
  });
}

function timeOf(row: WideCount): number {
  return new Date(row.first_call_at).getTime();
}

function grouped<Row>(rows: readonly Row[], by: (row: Row) => string): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(by(row), [...(groups.get(by(row)) ?? []), row]);
  return [...groups.values()];
}

/** The rollups of every row of `run_count` and every rolled episode. */
export async function insertRollups(db: Kysely<Database>): Promise<void> {
  const names = (columns: readonly string[]) => sql.join(columns.map((name) => sql.ref(name)));
  const sums = (columns: readonly string[]) => sql.join(columns.map((name) => sql`sum(${sql.ref(`c.${name}`)})`));
  for (const bucket of ["day", "hour"] as const) {
    await sql`
      insert into ${sql.table(`call_${bucket}`)} (project_id, bucket, cohort_id, ${names(CALL_COUNTERS)})
      -- one row per bucket and cohort
      select c.project_id, date_trunc(${bucket}, c.minute, 'UTC'), c.cohort_id, ${sums(CALL_COUNTERS)}
      from run_count as c
      group by 1, 2, 3
    `.execute(db);
    await sql`
      insert into ${sql.table(`episode_${bucket}`)} (${names(EPISODE_KEYS)}, ${names(EPISODE_COUNTERS)})
      -- one row per key of the rollup
      select ${names(EPISODE_KEYS)}, ${sums(EPISODE_COUNTERS)}
      from (
        -- one row per rolled episode
        select e.project_id, date_trunc(${bucket}, e.opened_at, 'UTC') as bucket, e.cohort_id, e.kind, e.funnel_row,
          e.terminal_outcome, e.extra_model_turns, ${episodeContribution("e")}
        from episode as e
        where e.rolled
      ) as c
      group by ${names(EPISODE_KEYS)}
    `.execute(db);
  }
}

/** A statement takes at most 65,535 parameters. */
export function chunks<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / 500) }, (_, index) => rows.slice(index * 500, index * 500 + 500));
}
