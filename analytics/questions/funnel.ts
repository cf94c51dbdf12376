import type { Kysely } from "kysely";
import type { Database } from "../../database/schema.ts";
import type { FunnelAnswer } from "./answer.ts";
import { overTime } from "./cells.ts";
import { countGroups, countWhole, readBounded, runsWithoutTimes } from "./counts.ts";
import { groupAnswer } from "./groups.ts";
import { headerOf } from "./header.ts";
import { QuestionError } from "./question-error.ts";
import type { Scope } from "./scope.ts";
import { snapshot } from "./snapshot.ts";

const MOST_GROUPS = 2_000;

/** The repair funnel: first attempts → rejected → what the model did next → how its run ended, overall and by group. */
export function funnel(db: Kysely<Database>, scope: Scope): Promise<FunnelAnswer> {
  return snapshot(db, scope, async (at) => {
    const header = await headerOf(at);
    const cells = await readBounded(at, scope.groupBy);
    const overall = groupAnswer(countWhole(cells), [], scope.kind);
    if (scope.groupBy.length === 0) return { ...header, overall, groups: [], runs_without_times: null };
    const counted = countGroups(cells, scope.groupBy);
    if (counted.length > MOST_GROUPS) {
      throw new QuestionError(
        "group_by",
        `group_by=${scope.groupBy.join(",")} gives ${counted.length} groups, at most ${MOST_GROUPS} are answered: narrow the interval, add a filter, or group by less. Example: group_by=day&last=30d`,
      );
    }
    const groups = counted
      .map((group) => groupAnswer(group, scope.groupBy, scope.kind))
      .sort((a, b) => b.calls.total - a.calls.total || compareKeys(a.key, b.key));
    if (!overTime(scope.groupBy)) return { ...header, overall, groups, runs_without_times: null };
    groups.sort((a, b) => compareKeys(a.key, b.key));
    return { ...header, overall, groups, runs_without_times: runsWithoutTimes(cells) };
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
