/** The dictionary of cohorts: each row says what its id stands for, and no id is used that it does not know. */
import { type Kysely, sql } from "kysely";
import { type CohortValues, cohortId } from "../analytics/episodes/linker-cohorts.ts";
import type { CohortRow, Database } from "../database/schema.ts";
import { compareRows } from "./compare-rows.ts";
import type { Differences } from "./differences.ts";
import type { Range } from "./range.ts";

/** Rows that the cursor gives at a time. */
const ROWS_PER_FETCH = 1_000;

/** Tables that name cohorts, and the column by which their rows stand in time. */
const USERS = {
  run_count: "minute",
  episode: "opened_at",
  call_day: "bucket",
  call_hour: "bucket",
  episode_day: "bucket",
  episode_hour: "bucket",
} as const;

export interface DictionaryCheck {
  /** Compares the rows of cohorts that recomputed runs have, each once. */
  compareUsed(used: ReadonlyMap<string, CohortValues>): Promise<void>;
  /** Looks at all other rows, and for ids of the range without a row. */
  compareRest(range: Range): Promise<void>;
}

export function dictionaryCheck(trx: Kysely<Database>, projectId: number, differences: Differences): DictionaryCheck {
  const checked = new Set<string>();
  return {
    async compareUsed(used) {
      const fresh = [...used].filter(([id]) => !checked.has(id));
      if (fresh.length === 0) return;
      for (const [id] of fresh) checked.add(id);
      const { rows: stored } = await sql<CohortRow>`
        -- one row per cohort
        select * from cohort
        where project_id = ${projectId} and cohort_id = any(${fresh.map(([id]) => id)}::uuid[])
      `.execute(trx);
      const recomputed = fresh.map(([cohort_id, values]) => ({ cohort_id, ...values }));
      compareRows({ table: "cohort", key: ["cohort_id"], stored, recomputed }, differences);
    },
    async compareRest(range) {
      await sql`declare dictionary no scroll cursor for
        -- one row per cohort
        select * from cohort where project_id = ${sql.lit(projectId)} order by cohort_id
      `.execute(trx);
      for (;;) {
        const { rows } = await sql<CohortRow>`
          -- one row per cohort
          fetch ${sql.lit(ROWS_PER_FETCH)} from dictionary
        `.execute(trx);
        if (rows.length === 0) break;
        const rest = rows.filter(({ cohort_id }) => !checked.has(cohort_id));
        differences.addRows("cohort", rest.length);
        for (const row of rest) compareId(row, differences);
      }
      await sql`close dictionary`.execute(trx);
      for (const cohort_id of await unknownIds(trx, projectId, range)) {
        if (checked.has(cohort_id)) continue; // said already
        const whole = { column: null, stored: null, recomputed: null };
        differences.add({ table: "cohort", found: "missing_row", key: { cohort_id }, ...whole });
      }
    },
  };
}

function compareId({ cohort_id, project_id: _, ...values }: CohortRow, differences: Differences): void {
  const recomputed = cohortId(values);
  if (recomputed === cohort_id) return;
  const column = { column: "cohort_id", stored: cohort_id, recomputed };
  differences.add({ table: "cohort", found: "value", key: { cohort_id }, ...column });
}

/** Ids that rows of the range name and that the dictionary does not hold. */
async function unknownIds(trx: Kysely<Database>, projectId: number, { from, to }: Range): Promise<string[]> {
  const users = Object.entries(USERS).map(
    ([table, time]) => sql`
      select cohort_id from ${sql.table(table)}
      where project_id = ${projectId}
        and (${from}::timestamptz is null or ${sql.ref(time)} >= ${from}::timestamptz)
        and (${to}::timestamptz is null or ${sql.ref(time)} < ${to}::timestamptz)
    `,
  );
  const { rows } = await sql<{ cohort_id: string }>`
    -- one row per cohort id
    select distinct cohort_id
    from (${sql.join(users, sql` union all `)}) as used
    where not exists (
      select from cohort where cohort.project_id = ${projectId} and cohort.cohort_id = used.cohort_id
    )
    order by cohort_id
  `.execute(trx);
  return rows.map((row) => row.cohort_id);
}
