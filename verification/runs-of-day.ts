/** Which days hold anything, and which runs may stand in one of them. */
import { type Kysely, type RawBuilder, sql } from "kysely";
import { observationsByRun, observationsByTrace } from "../collector/load-observations.ts";
import type { Database } from "../database/schema.ts";
import { traceOfId } from "./assembled-again.ts";
import type { DayPart, Range } from "./range.ts";

/** Tables with a time, and the column by which their rows stand in a day. */
const TIMES = {
  observation: "start_time",
  run: "started_at",
  turn: "start_time",
  call: "start_time",
  run_count: "minute",
  episode: "opened_at",
  call_day: "bucket",
  call_hour: "bucket",
  episode_day: "bucket",
  episode_hour: "bucket",
} as const satisfies Partial<Record<keyof Database, string>>;

/** Days in UTC in which a row of the range stands, in order, milliseconds since 1970. */
export async function daysOf(trx: Kysely<Database>, projectId: number, { from, to }: Range): Promise<number[]> {
  const days = new Set<number>();
  for (const [table, time] of Object.entries(TIMES)) {
    const { rows } = await sql<{ day: Date | number }>`
      -- one row per day in UTC
      select distinct date_trunc('day', ${sql.ref(time)}, 'UTC') as day
      from ${sql.table(table)}
      where project_id = ${projectId}
        and (${from}::timestamptz is null or ${sql.ref(time)} >= ${from}::timestamptz)
        and (${to}::timestamptz is null or ${sql.ref(time)} < ${to}::timestamptz)
    `.execute(trx);
    // A run's row may say `infinity` where somebody wrote it there: it is found by the day of its calls.
    for (const { day } of rows) if (Number.isFinite(Number(day))) days.add(Number(day));
  }
  return [...days].sort((a, b) => a - b);
}

/** Runs that the cursor gives at a time. */
const RUNS_PER_FETCH = 500;
/** Observations that are in memory at a time, unless one run or trace alone has more. */
const OBSERVATIONS_IN_MEMORY = 20_000;

/**
 * Ids of runs that have, or may have, a row or an observation in the part of the day; in the order of their ids, in
 * portions whose observations fit into memory. Some of them are nothing: a trace whose spans all belong to other runs.
 */
export async function* runsOfDay(
  trx: Kysely<Database>,
  projectId: number,
  { from, to }: DayPart,
): AsyncGenerator<string[]> {
  // Literals: a cursor is declared by a statement that takes no parameters.
  const within = (time: string): RawBuilder<unknown> =>
    sql`project_id = ${sql.lit(projectId)} and ${sql.ref(time)} >= ${timeLiteral(from)} and ${sql.ref(time)} < ${timeLiteral(to)}`;
  const stored = (["run", "turn", "call", "run_count", "episode"] as const).map(
    (table) => sql`select run_id from ${sql.table(table)} where ${within(TIMES[table])}`,
  );
  yield* portions(
    trx,
    projectId,
    sql`
      -- one row per trace of the day with a span that states no run
      with runless as (
        select distinct trace_id from observation where ${within("start_time")} and run_id is null
      )
      -- one row per run that may stand in the day
      select distinct run_id collate "C" as run_id
      from (
        select run_id from observation where ${within("start_time")} and run_id is not null
        union all
        ${sql.join(stored, sql` union all `)}
        union all
        select encode(trace_id, 'hex') from runless
        union all
        -- to these the spans that state no run may belong: runs stated in the trace, and agent spans without an id
        select coalesce(run_id, encode(trace_id, 'hex') || '-' || encode(span_id, 'hex'))
        from observation
        where project_id = ${sql.lit(projectId)}
          and trace_id in (select trace_id from runless)
          and (run_id is not null or record ->> 'type' = 'run')
      ) as standing
      order by run_id
    `,
  );
}

/** Runs of which nothing but repair links is left: these have no time. */
export function runsWithoutTime(trx: Kysely<Database>, projectId: number): AsyncGenerator<string[]> {
  const without = (table: "run" | "episode") =>
    sql`not exists (
      select from ${sql.table(table)} as other
      where other.project_id = attempt.project_id and other.run_id = attempt.run_id
    )`;
  return portions(
    trx,
    projectId,
    sql`
      -- one row per run
      select distinct run_id collate "C" as run_id
      from attempt
      where project_id = ${sql.lit(projectId)} and ${without("run")} and ${without("episode")}
      order by run_id
    `,
  );
}

async function* portions(
  trx: Kysely<Database>,
  projectId: number,
  query: RawBuilder<unknown>,
): AsyncGenerator<string[]> {
  await sql`declare verified no scroll cursor for ${query}`.execute(trx);
  for (;;) {
    const { rows } = await sql<{ run_id: string }>`
      -- one row per run
      fetch ${sql.lit(RUNS_PER_FETCH)} from verified
    `.execute(trx);
    if (rows.length === 0) break;
    const runIds = rows.map(({ run_id }) => run_id);
    yield* inMemory(runIds, await sizesOf(trx, projectId, runIds));
  }
  await sql`close verified`.execute(trx);
}

/** How many observations state each run, or stand in the trace that it is. */
async function sizesOf(trx: Kysely<Database>, projectId: number, runIds: readonly string[]) {
  const ofRun = await observationsByRun(trx, projectId, runIds);
  const traces = runIds.map(traceOfId).filter((trace) => trace !== undefined);
  const ofTrace = traces.length === 0 ? new Map<string, number>() : await observationsByTrace(trx, projectId, traces);
  return (runId: string) => (ofRun.get(runId) ?? 0) + (ofTrace.get(traceOfId(runId) ?? "") ?? 0);
}

function* inMemory(runIds: readonly string[], sizeOf: (runId: string) => number): Generator<string[]> {
  let portion: string[] = [];
  let observations = 0;
  for (const runId of runIds) {
    const size = sizeOf(runId);
    if (portion.length > 0 && observations + size > OBSERVATIONS_IN_MEMORY) {
      yield portion;
      portion = [];
      observations = 0;
    }
    portion.push(runId);
    observations += size;
  }
  if (portion.length > 0) yield portion;
}

const timeLiteral = (time: number): RawBuilder<unknown> => sql`${sql.lit(new Date(time).toISOString())}::timestamptz`;
