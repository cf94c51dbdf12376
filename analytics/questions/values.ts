import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import { byName } from "./by-name.ts";
import { headerOf } from "./header.ts";
import { filteredBut, LABELS } from "./relation.ts";
import { rolledCalls } from "./rolled-calls.ts";
import { DIMENSIONS, type Dimension, MOST_LABELS, NARROWING, type Scope } from "./scope.ts";
import { snapshot } from "./snapshot.ts";
import type { ValuesAnswer } from "./values-answer.ts";

/**
 * What each dimension can be filtered by in the scope, with how many calls that would be. The filters apply to all
 * other dimensions; of those that only failed calls have, failed calls are counted.
 */
export function values(db: Kysely<Database>, scope: Scope): Promise<ValuesAnswer> {
  return snapshot(db, scope, async (at) => {
    const listed = DIMENSIONS.map(
      (dimension) => sql`(
      -- one row per value of the dimension, most calls first
      select ${sql.lit(dimension)} as dimension, ${LABELS[dimension]} as value, sum(k.calls)::float8 as calls
      from cohort_calls as k
      where ${filteredBut(scope, dimension)} and ${NARROWING.has(dimension) ? sql`k.failure_class is not null` : sql`true`}
      group by ${LABELS[dimension]}
      order by 3 desc, 2 nulls last
      limit ${MOST_LABELS + 1}
    )`,
    );
    const { rows } = await sql<{ dimension: Dimension; value: string | null; calls: number }>`
      with cohort_calls as materialized (
        -- one row per cohort with calls in the interval
        select k.*, c.calls
        from (
          -- one row per cohort
          select c.cohort_id, sum(c.calls) as calls
          from ${rolledCalls(at, scope, "whole")} as c
          group by c.cohort_id
          having sum(c.calls) > 0
        ) as c
        join cohort as k on k.project_id = ${scope.projectId} and k.cohort_id = c.cohort_id
      )
      ${sql.join(listed, sql` union all `)}
    `.execute(at.db);
    const found = byName(DIMENSIONS, (dimension) => rows.filter((row) => row.dimension === dimension));
    return {
      ...(await headerOf(at)),
      dimensions: byName(DIMENSIONS, (dimension) =>
        found[dimension].slice(0, MOST_LABELS).map(({ value, calls }) => ({ value, calls })),
      ),
      truncated: DIMENSIONS.filter((dimension) => found[dimension].length > MOST_LABELS),
    };
  });
}
