import { type RawBuilder, sql } from "kysely";
import { CALL_COUNTERS, callContribution } from "../episodes/linker-contributions.ts";
import { type Cover, coverOf, type Grain, type Interval } from "./interval.ts";
import { within } from "./relation.ts";
import type { Snapshot } from "./snapshot.ts";
import { linked } from "./waiting.ts";

/** Start of the bucket in UTC; null where an answer is not divided over time. */
export function bucketOf(grain: Grain, time: RawBuilder<unknown>): RawBuilder<Date | null> {
  return grain === "whole" ? sql`null::timestamptz` : sql`date_trunc(${sql.lit(grain)}, ${time}, 'UTC')`;
}

/**
 * Calls of an interval as rows that add up: `at`, `cohort_id`, and the counters.
 *
 * Whole days and hours come from their rollups, the minutes at the edges from what each run contributes. What runs that
 * wait contributed is taken away again. So the sums are exact at every moment, and for every interval of whole minutes.
 */
export function rolledCalls(at: Snapshot, interval: Interval, grain: Grain): RawBuilder<unknown> {
  const cover = coverOf(interval, grain);
  const counters = sql.join(CALL_COUNTERS.map((name) => sql.ref(`c.${name}`)));
  const rollup = (table: "call_day" | "call_hour") => (part: Interval) =>
    sql`
      -- one row per bucket and cohort
      select ${table === `call_${grain}` ? sql`c.bucket` : bucketOf(grain, sql`c.bucket`)} as at, c.cohort_id, ${counters}
      from ${sql.table(table)} as c
      where c.project_id = ${at.scope.projectId} and ${within(part, sql`c.bucket`)}`;
  return unionOf([
    ...cover.days.map(rollup("call_day")),
    ...cover.hours.map(rollup("call_hour")),
    ...unrolledCalls(at, cover, grain),
  ]);
}

/** What the rollups of an interval do not say: its minutes at the edges, and what is to be taken away. */
export function unrolledCalls(
  { scope: { projectId }, waiting }: Snapshot,
  cover: Cover,
  grain: Grain,
): RawBuilder<unknown>[] {
  const edge = (part: Interval) => sql`
      -- one row per run, minute and cohort
      select ${bucketOf(grain, sql`c.minute`)} as at, c.cohort_id, ${callContribution("c")}
      from run_count as c
      where c.project_id = ${projectId} and ${within(part, sql`c.minute`)} and ${linked(waiting, sql`c.run_id`)}`;
  const takenAway = (part: Interval) => sql`
      -- one row per run that waits, minute and cohort
      select ${bucketOf(grain, sql`c.minute`)} as at, c.cohort_id, ${callContribution("c", -1)}
      from run_count as c
      where c.project_id = ${projectId} and ${within(part, sql`c.minute`)} and c.run_id in (${waiting.runs})`;
  return [
    ...cover.minutes.map(edge),
    ...(cover.rolled === null || waiting.runs === null ? [] : [takenAway(cover.rolled)]),
  ];
}

/** When each cohort was called in an interval: `cohort_id`, `calls`, and the buckets `first` and `last`. */
export function seenCohorts(at: Snapshot, interval: Interval, grain: Grain): RawBuilder<unknown> {
  const rows = rolledCalls(at, interval, grain);
  // Where nothing was taken away, every row is of some call, and none needs to be summed to see that.
  const standing =
    at.waiting.runs === null
      ? rows
      : sql`(
        -- one row per bucket and cohort
        select c.at, c.cohort_id, sum(c.calls) as calls from ${rows} as c group by c.at, c.cohort_id having sum(c.calls) > 0
      )`;
  return sql`(
      -- one row per cohort
      select c.cohort_id, sum(c.calls) as calls, min(c.at) as first, max(c.at) as last
      from ${standing} as c
      group by c.cohort_id
    )`;
}

export function unionOf(branches: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql`(${sql.join(
    branches,
    sql`
      union all`,
  )})`;
}
