import { type RawBuilder, sql } from "kysely";
import { asksSeveralTools } from "./cells.ts";
import { firstCalls } from "./completion-cells.ts";
import { filtered, within } from "./relation.ts";
import { type Dimension, NARROWING } from "./scope.ts";
import type { Snapshot } from "./snapshot.ts";
import { linked } from "./waiting.ts";

/** Dimensions that a run has though it called no tool. */
const OF_RUNS: ReadonlySet<Dimension> = new Set<Dimension>(["model", "agent", "environment"]);

/**
 * The runs that stand in the interval and cohort of the scope, as a subquery of `run_id`: by their first call to the
 * filtered tools, by their first call where no tool is asked for; a run that called nothing by its start, where the
 * filters are ones that it has.
 */
export async function standingRuns(at: Snapshot): Promise<RawBuilder<unknown>> {
  const { scope, waiting } = at;
  const several = await asksSeveralTools(at);
  const first = several
    ? sql`${firstCalls(at, scope)}`
    : sql`(select c.* from run_count as c where c.${sql.ref(scope.filters.tool === undefined ? "runs" : "tool_runs")} > 0)`;
  const asked = (Object.keys(scope.filters) as Dimension[]).filter((dimension) => !NARROWING.has(dimension));
  const silent = sql`
      union all
      -- one row per run that called nothing
      select k.run_id
      from run as k
      where k.project_id = ${scope.projectId} and ${linked(waiting, sql`k.run_id`)}
        and ${within(scope, sql`k.started_at`)} and ${filtered(scope, { narrowing: false })} and k.calls = 0
        and not exists (select 1 from run_count as n where n.project_id = k.project_id and n.run_id = k.run_id)`;
  return sql`
      -- one row per run
      select c.run_id
      from ${first} as c
      join cohort as k on k.project_id = ${scope.projectId} and k.cohort_id = c.cohort_id
      where c.project_id = ${scope.projectId} and ${linked(waiting, sql`c.run_id`)}
        and ${within(scope, sql`c.minute`)} and ${filtered(scope, { narrowing: false })}
      ${asked.every((dimension) => OF_RUNS.has(dimension)) ? silent : sql``}`;
}
