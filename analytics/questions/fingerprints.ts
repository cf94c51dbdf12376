import type { Kysely } from "kysely";
import type { Database } from "../../database/schema.ts";
import type { FingerprintsAnswer } from "./answer.ts";
import { divisionOf } from "./cells.ts";
import { countGroups, countWhole, readCells } from "./counts.ts";
import { failureFacts } from "./failure-facts.ts";
import { groupAnswer } from "./groups.ts";
import { headerOf } from "./header.ts";
import { byHurt } from "./hurt.ts";
import type { GroupBy, Scope } from "./scope.ts";
import { snapshot } from "./snapshot.ts";

/** The failures of each tool by fingerprint, what hurts most first; the list is bounded by its order, not by labels. */
export function fingerprints(db: Kysely<Database>, scope: Scope): Promise<FingerprintsAnswer> {
  return snapshot(db, scope, async (at) => {
    const further = scope.groupBy.filter((by) => by !== "tool" && by !== "fingerprint");
    const groupBy: GroupBy[] = ["tool", "fingerprint", ...further];
    const cells = await readCells(at, scope, divisionOf(groupBy));
    const groups = countGroups(cells, groupBy).filter(
      ({ counts }) =>
        counts[scope.kind].opened > 0 ||
        (scope.kind === "repair" && counts.rejected.first + counts.rejected.repair > 0),
    );
    const listed = byHurt(groups, scope.kind).slice(0, scope.limit);
    const facts = await failureFacts(
      at,
      groupBy,
      listed.map(({ key }) => key),
    );
    return {
      ...(await headerOf(at, groupBy)),
      total: groups.length,
      overall: groupAnswer(countWhole(cells), [], scope.kind),
      fingerprints: listed.map((group, index) => ({ ...groupAnswer(group, groupBy, scope.kind), ...facts[index]! })),
    };
  });
}
