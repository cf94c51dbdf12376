import type { Header } from "./answer.ts";
import type { GroupBy } from "./scope.ts";
import type { Snapshot } from "./snapshot.ts";

/** What every answer states of itself: its moment, its scope, the settings that linking used, and how many runs wait. */
export async function headerOf(
  { db, scope, waiting }: Snapshot,
  groupBy: readonly GroupBy[] = scope.groupBy,
): Promise<Header> {
  const project = await db
    .selectFrom("project")
    .select(["link_window", "eventual_window", "settle_after_seconds", "turn_basis"])
    .where("project_id", "=", scope.projectId)
    .executeTakeFirstOrThrow();
  return {
    as_of: scope.asOf.toISOString(),
    scope: {
      from: scope.from?.toISOString() ?? null,
      to: scope.to?.toISOString() ?? null,
      kind: scope.kind,
      filters: Object.fromEntries(Object.entries(scope.filters).map(([name, values]) => [name, [...values]])),
      group_by: [...groupBy],
    },
    settings: { W: project.link_window, E: project.eventual_window },
    settle_after_seconds: project.settle_after_seconds,
    turn_basis: project.turn_basis,
    runs_waiting: waiting.count,
  };
}
