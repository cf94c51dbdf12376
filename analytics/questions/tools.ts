import type { Kysely } from "kysely";
import type { Database } from "../../database/schema.ts";
import type { ToolsAnswer } from "./answer.ts";
import { countGroups, countWhole, readBounded } from "./counts.ts";
import { groupAnswer } from "./groups.ts";
import { headerOf } from "./header.ts";
import { byHurt } from "./hurt.ts";
import type { GroupBy, Scope } from "./scope.ts";
import { snapshot } from "./snapshot.ts";

/** The tools (and, grouped further, their schema versions, models …), what hurts most first. */
export function tools(db: Kysely<Database>, scope: Scope): Promise<ToolsAnswer> {
  return snapshot(db, scope, async (at) => {
    const groupBy: GroupBy[] = ["tool", ...scope.groupBy.filter((by) => by !== "tool")];
    const cells = await readBounded(at, groupBy);
    const groups = countGroups(cells, groupBy);
    return {
      ...(await headerOf(at, groupBy)),
      total: groups.length,
      overall: groupAnswer(countWhole(cells), [], scope.kind),
      tools: byHurt(groups, scope.kind)
        .slice(0, scope.limit)
        .map((group) => groupAnswer(group, groupBy, scope.kind)),
    };
  });
}
