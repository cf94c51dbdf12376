import { sql } from "kysely";
import type { FingerprintRow, Group } from "./answer.ts";
import { type Key, overTime } from "./cells.ts";
import { coverOf } from "./interval.ts";
import { filtered, LABELS, within } from "./relation.ts";
import { seenCohorts, unionOf, unrolledCalls } from "./rolled-calls.ts";
import type { GroupBy } from "./scope.ts";
import type { Snapshot } from "./snapshot.ts";

type Facts = Omit<FingerprintRow, keyof Group>;

/** A cohort of failed calls, with the days of its first and last call. */
interface Failing {
  readonly cohort_id: string;
  readonly tool: string;
  readonly fingerprint: string | null;
  readonly failure_class: string;
  readonly retryability: string | null;
  readonly rung: number | null;
  readonly risk: string;
  readonly calls: number;
  readonly first: Date;
  readonly last: Date;
}

/**
 * What is known of fingerprints besides counts, for keys that begin with tool and fingerprint, in their order.
 *
 * Times are to the hour. Days say which cohorts to look at more closely: the hours of a long interval are many times as
 * many rows, and of most of them the answer says nothing.
 */
export async function failureFacts(
  at: Snapshot,
  groupBy: readonly GroupBy[],
  keys: readonly Key[],
): Promise<readonly Facts[]> {
  const { db, scope } = at;
  const { rows } = await sql<Failing>`
    -- one row per cohort of failed calls
    select
      c.cohort_id, ${LABELS.tool} as tool, k.fingerprint, k.failure_class, k.retryability, k.rung::int as rung, k.risk,
      c.calls::float8 as calls, c.first, c.last
    from ${seenCohorts(at, scope, "day")} as c
    join cohort as k on k.project_id = ${scope.projectId} and k.cohort_id = c.cohort_id
    where k.failure_class is not null and ${filtered(scope, { narrowing: true })}
      and ${overTime(groupBy) ? sql`k.timed` : sql`true`}
  `.execute(db);
  const byKey = new Map<string, Failing[]>();
  for (const row of rows) {
    const id = JSON.stringify([row.tool, row.fingerprint]);
    byKey.set(id, [...(byKey.get(id) ?? []), row]);
  }
  const listed = keys.map(([tool, fingerprint]) => byKey.get(JSON.stringify([tool, fingerprint])) ?? []);
  const hours = await hoursOf(
    at,
    listed.flatMap((cohorts) => [...firstOf(cohorts), ...lastOf(cohorts)]),
  );
  const found = (seen: readonly Seen[]) => seen.flatMap((one) => hours.get(idOf(one)) ?? []);
  return listed.map((cohorts) => ({
    failure_classes: distinct(cohorts.map((row) => row.failure_class)),
    retryabilities: distinct(cohorts.flatMap((row) => row.retryability ?? [])),
    rungs: distinct(cohorts.flatMap((row) => row.rung ?? [])),
    risks: distinct(cohorts.map((row) => row.risk)),
    failed_calls: cohorts.reduce((sum, { calls }) => sum + calls, 0),
    first_seen: least(found(firstOf(cohorts)).map(({ first }) => first.toISOString())),
    last_seen: least(
      found(lastOf(cohorts)).map(({ last }) => last.toISOString()),
      -1,
    ),
  }));
}

/** A cohort on a day. */
interface Seen {
  readonly cohort_id: string;
  readonly day: Date;
}
const idOf = ({ cohort_id, day }: Seen): string => `${cohort_id} ${day.getTime()}`;

/** The cohorts with calls on the first day of all of them. */
function firstOf(cohorts: readonly Failing[]): Seen[] {
  const day = least(cohorts.map(({ first }) => first.getTime()));
  return cohorts
    .filter(({ first }) => first.getTime() === day)
    .map(({ cohort_id, first }) => ({ cohort_id, day: first }));
}

/** The cohorts with calls on the last day of all of them. */
function lastOf(cohorts: readonly Failing[]): Seen[] {
  const day = least(
    cohorts.map(({ last }) => last.getTime()),
    -1,
  );
  return cohorts.filter(({ last }) => last.getTime() === day).map(({ cohort_id, last }) => ({ cohort_id, day: last }));
}

/** The first and last hour with calls of cohorts on days. */
async function hoursOf(at: Snapshot, seen: readonly Seen[]) {
  const pairs = new Map(seen.map((one) => [idOf(one), one]));
  const cover = coverOf(at.scope, "hour");
  const rolled = sql`
      -- one row per hour and cohort: 24 look-ups each, where a plan of its own may read every hour
      select h.at, p.cohort_id, h.calls
      from unnest(
        ${[...pairs.values()].map(({ cohort_id }) => cohort_id)}::uuid[],
        ${[...pairs.values()].map(({ day }) => day.toISOString())}::timestamptz[]
      ) as p (cohort_id, day)
      cross join generate_series(0, 23) as n (hour)
      cross join lateral (
        select c.bucket as at, c.calls
        from call_hour as c
        where c.project_id = ${at.scope.projectId} and c.bucket = p.day + n.hour * interval '1 hour'
          and c.cohort_id = p.cohort_id and ${within(cover.rolled ?? at.scope, sql`c.bucket`)}
        offset 0
      ) as h`;
  const unrolled = unrolledCalls(at, cover, "hour").map(
    (branch) => sql`
      -- one row per run, minute and cohort
      select c.at, c.cohort_id, c.calls from (${branch}) as c`,
  );
  const { rows } = await sql<{ cohort_id: string; day: Date; first: Date; last: Date }>`
    -- one row per cohort and day
    select c.cohort_id, date_trunc('day', c.at, 'UTC') as day, min(c.at) as first, max(c.at) as last
    from (
      -- one row per hour and cohort
      select c.at, c.cohort_id
      from ${unionOf([...(cover.rolled === null ? [] : [rolled]), ...unrolled])} as c
      group by c.at, c.cohort_id
      having sum(c.calls) > 0
    ) as c
    group by 1, 2
  `.execute(at.db);
  return new Map(rows.map((row) => [idOf(row), row]));
}

/** The least value, or with sign -1 the greatest; null of none. */
function least<Value extends number | string>(values: readonly Value[], sign: 1 | -1 = 1): Value | null {
  return values.reduce<Value | null>(
    (found, value) => (found === null || (sign === 1 ? value < found : value > found) ? value : found),
    null,
  );
}

function distinct<Value extends number | string>(values: readonly Value[]): Value[] {
  return [...new Set(values)].sort((a, b) => (a < b ? -1 : 1));
}
