import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import type { Header } from "./answer.ts";
import type { Scope } from "./scope.ts";

/** What every answer states of itself: its moment, its scope, the settings that linking used, and how many runs wait. */
export async function headerOf(db: Kysely<Database>, scope: Scope): Promise<Header> {
  const project = await db
    .selectFrom("project")
    .select(["link_window", "eventual_window", "settle_after_seconds", "turn_basis"])
    .where("project_id", "=", scope.projectId)
    .executeTakeFirstOrThrow();
  const waiting = await sql<{ runs: number }>`
    -- one row
    select count(*)::float8 as runs
    from (
      -- one row per run (or trace, where no span names a run) that waits
      select d.run_id from dirty_run as d where d.project_id = ${scope.projectId}
      union
      select substr(u.unit, 3) from unassembled as u where u.project_id = ${scope.projectId}
    ) as waiting
  `.execute(db);
  return {
    as_of: scope.asOf.toISOString(),
    scope: {
      from: scope.from?.toISOString() ?? null,
      to: scope.to?.toISOString() ?? null,
      kind: scope.kind,
      filters: Object.fromEntries(Object.entries(scope.filters).map(([name, values]) => [name, [...values]])),
      group_by: [...scope.groupBy],
    },
    settings: { W: project.link_window, E: project.eventual_window },
    settle_after_seconds: project.settle_after_seconds,
    turn_basis: project.turn_basis,
    runs_waiting: waiting.rows[0]?.runs ?? 0,
  };
}
