import type { Kysely } from "kysely";
import type { Database } from "../../database/schema.ts";
import type { ToolsAnswer } from "./answer.ts";
import { countAll, EMPTY_GROUP, groupAnswer } from "./groups.ts";
import { headerOf } from "./header.ts";
import { byHurt } from "./hurt.ts";
import { boundsOf } from "./relation.ts";
import type { GroupBy, Scope } from "./scope.ts";
import { snapshot } from "./snapshot.ts";

/** The tools (and, grouped further, their schema versions, models …), what hurts most first. */
export function tools(db: Kysely<Database>, scope: Scope): Promise<ToolsAnswer> {
  return snapshot(db, async (db) => {
    const groupBy: GroupBy[] = ["tool", ...scope.groupBy.filter((by) => by !== "tool")];
    const perTool = { ...scope, groupBy };
    const whole = await countAll(db, scope, { groupBy: [], bounds: new Map() });
    const parts = await countAll(db, perTool, { groupBy, bounds: await boundsOf(db, perTool) });
    return {
      ...(await headerOf(db, perTool)),
      total: parts.groups.length,
      overall: groupAnswer(whole, whole.groups[0] ?? EMPTY_GROUP, scope.kind),
      tools: byHurt(parts, parts.groups, scope.kind)
        .slice(0, scope.limit)
        .map((group) => groupAnswer(parts, group, scope.kind)),
    };
  });
}
