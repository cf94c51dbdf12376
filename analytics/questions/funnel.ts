import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import type { FunnelAnswer } from "./answer.ts";
import { countAll, EMPTY_GROUP, groupAnswer } from "./groups.ts";
import { headerOf } from "./header.ts";
import { QuestionError } from "./question-error.ts";
import { boundsOf, filtered, inTime, linked, overTime } from "./relation.ts";
import type { Scope } from "./scope.ts";
import { snapshot } from "./snapshot.ts";

const MOST_GROUPS = 2_000;
const NO_BOUNDS = new Map();

/** The repair funnel: first attempts → rejected → what the model did next → how its run ended, overall and by group. */
export function funnel(db: Kysely<Database>, scope: Scope): Promise<FunnelAnswer> {
  return snapshot(db, async (db) => {
    const header = await headerOf(db, scope);
    const whole = await countAll(db, scope, { groupBy: [], bounds: NO_BOUNDS });
    const overall = groupAnswer(whole, whole.groups[0] ?? EMPTY_GROUP, scope.kind);
    if (scope.groupBy.length === 0) return { ...header, overall, groups: [], runs_without_times: null };
    const parts = await countAll(db, scope, { groupBy: scope.groupBy, bounds: await boundsOf(db, scope) });
    if (parts.groups.length > MOST_GROUPS) {
      throw new QuestionError(
        "group_by",
        `group_by=${scope.groupBy.join(",")} gives ${parts.groups.length} groups, at most ${MOST_GROUPS} are answered: narrow the interval, add a filter, or group by less. Example: group_by=day&last=30d`,
      );
    }
    const groups = parts.groups
      .map((group) => groupAnswer(parts, group, scope.kind))
      .sort((a, b) => b.calls.total - a.calls.total || compareKeys(a.key, b.key));
    if (overTime(scope)) groups.sort((a, b) => compareKeys(a.key, b.key));
    return { ...header, overall, groups, runs_without_times: overTime(scope) ? await withoutTimes(db, scope) : null };
  });
}

function compareKeys(a: FunnelAnswer["overall"]["key"], b: FunnelAnswer["overall"]["key"]): number {
  for (const time of ["day", "hour"]) {
    const earlier = String(a[time] ?? "");
    const later = String(b[time] ?? "");
    if (earlier !== later) return earlier < later ? -1 : 1;
  }
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

/** How many runs of the scope were read from files without times. */
async function withoutTimes(db: Kysely<Database>, scope: Scope): Promise<number> {
  const { rows } = await sql<{ runs: number }>`
    -- one row
    select count(distinct c.run_id)::float8 as runs
    from run_count as c
    join run as r on r.project_id = c.project_id and r.run_id = c.run_id and r.time_source = 'import'
    where ${linked(scope)} and ${inTime(scope, "minute")} and ${filtered(scope, { narrowing: false })}
  `.execute(db);
  return rows[0]?.runs ?? 0;
}
