import { type RawBuilder, sql } from "kysely";
import type { CompletionCounts } from "../metrics/counts.ts";
import { type Cell, cellOf, type Division, summed } from "./cells.ts";
import type { Interval } from "./interval.ts";
import { filtered, filterOf, within } from "./relation.ts";
import { bucketOf } from "./rolled-calls.ts";
import type { Snapshot } from "./snapshot.ts";
import { linked } from "./waiting.ts";

export interface CompletionCell extends Cell {
  readonly runs: CompletionCounts;
}

/**
 * Runs by their first call to any of several filtered tools: the one question that no rollup can answer, because which
 * call is the first depends on the tools that are asked for. It reads one row per run and tool.
 */
export async function completionCells(at: Snapshot, interval: Interval, division: Division): Promise<CompletionCell[]> {
  const { db, scope } = at;
  const sums = ["runs", "runs_ended", "runs_known", "runs_completed"].map((name) => ({
    name,
    value: sql`sum(${sql.ref(`c.tool_${name}`)})::float8`,
  }));
  const { rows } = await summed({
    ...{ scope, division, also: [], sums },
    from: sql`(
      -- one row per run
      select c.*, ${bucketOf(division.grain, sql`c.minute`)} as at from ${firstCalls(at, interval)} as c
    )`,
    where: sql`${within(interval, sql`c.minute`)} and ${filtered(scope, { narrowing: false })}`,
  }).execute(db);
  return rows.map((row) => {
    const [runs, ended, known, completed] = sums.map(({ name }) => row[name] as number);
    return {
      ...cellOf(row, division),
      runs: { runs: runs!, ended: ended!, known: known!, completed: completed! },
    };
  });
}

/**
 * First calls, to any of the filtered tools, of the runs that have a call since the interval began; whether the first
 * one lies in it, and in the cohort, is for the caller to ask.
 */
export function firstCalls({ scope, waiting }: Snapshot, { from, to }: Interval): RawBuilder<unknown> {
  const active =
    from === null
      ? sql`true`
      : sql`c.run_id in (
          select a.run_id from run_count as a
          where a.project_id = ${scope.projectId} and a.minute >= ${from}::timestamptz
        )`;
  const tools = filterOf(scope)("tool");
  return sql`(
      -- one row per run: what stands where its first call does
      select distinct on (c.run_id) c.*
      from run_count as c
      join cohort as k on k.project_id = c.project_id and k.cohort_id = c.cohort_id
      where c.project_id = ${scope.projectId} and c.tool_runs > 0 and ${within({ from: null, to }, sql`c.minute`)}
        and ${active} and ${linked(waiting, sql`c.run_id`)} and ${sql.join([sql`true`, ...tools], sql` and `)}
      order by c.run_id, c.first_call_at, k.tool, k.tool_source, c.cohort_id
    )`;
}
