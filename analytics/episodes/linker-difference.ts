/** What linking changes in the rollups: what its runs contribute now, less what they contributed before. */
import { type RawBuilder, sql, type Transaction } from "kysely";
import type { Database } from "../../database/schema.ts";
import {
  add,
  CALLS,
  type Change,
  changes,
  EPISODES,
  type Family,
  type HourRows,
  hourRows,
  NO_ROWS,
  names,
  sums,
} from "./linker-rollups.ts";

/** Runs of one project. */
interface Runs {
  readonly projectId: number;
  readonly runIds: readonly string[];
}

/** What the rollups held of some runs. */
export interface Taken {
  readonly calls: HourRows;
  readonly episodes: HourRows;
}

/** Deletes what linking wrote of these runs, and returns what the rollups hold of it. */
export async function takeAway(trx: Transaction<Database>, runs: Runs): Promise<Taken> {
  await sql`delete from attempt where ${ofRuns(runs, "attempt")}`.execute(trx);
  return { calls: await take(trx, CALLS, runs), episodes: await take(trx, EPISODES, runs) };
}

async function take(trx: Transaction<Database>, family: Family, runs: Runs): Promise<HourRows> {
  const { source, keys, counters, contribution, contributes } = family;
  const { rows } = await sql<{ taken: HourRows }>`
    -- one row per deleted row
    with c as (delete from ${sql.table(source)} as gone where ${ofRuns(runs, "gone")} returning *)
    -- one row in all
    select coalesce(json_agg(hours), ${NO_ROWS})::text as taken
    from (
      -- one row per hour and key
      select ${names(keys)}, ${sums(counters)}
      from (
        -- one row per contribution
        select ${contribution} from c where ${contributes}
      ) as contributions
      group by ${names(keys)}
    ) as hours
  `.execute(trx);
  return rows[0]!.taken;
}

/**
 * Brings the rollups up to what these runs contribute now. Rows whose sums do not change are not written; see
 * `linker-rollups.ts` for why this comes last in a transaction.
 */
export async function addDifference(trx: Transaction<Database>, runs: Runs, taken: Taken): Promise<void> {
  const calls = await difference(trx, CALLS, runs, taken.calls);
  const episodes = await difference(trx, EPISODES, runs, taken.episodes);
  await add(trx, CALLS, calls);
  await add(trx, EPISODES, episodes);
}

async function difference(trx: Transaction<Database>, family: Family, runs: Runs, taken: HourRows): Promise<Change> {
  const { source, keys, counters, unit, contribution, contributes } = family;
  const { rows } = await sql<Change>`
    -- one row in all
    select
      coalesce(json_agg(hours), ${NO_ROWS})::text as rows,
      coalesce(bool_or(hours.${sql.ref(unit)} < 0), false) as shrinks
    from (
      -- one row per hour and key whose sums change
      select ${names(keys)}, ${sums(counters)}
      from (
        -- one row per contribution, and one per hour and key of what was taken away
        select ${contribution}
        from ${sql.table(source)} as c
        where ${ofRuns(runs, "c")} and ${contributes}
        ${taken === NO_ROWS ? sql`` : sql`union all ${negative(family, taken)}`}
      ) as contributions
      group by ${names(keys)}
      having ${changes(counters)}
    ) as hours
  `.execute(trx);
  return rows[0]!;
}

function negative(family: Family, taken: HourRows): RawBuilder<unknown> {
  const counters = family.counters.map((counter) => sql`-${sql.ref(counter)}`);
  return sql`select ${names(family.keys)}, ${sql.join(counters)} from ${hourRows(family, taken)}`;
}

function ofRuns({ projectId, runIds }: Runs, alias: string): RawBuilder<unknown> {
  return sql`${sql.ref(`${alias}.project_id`)} = ${projectId} and ${sql.ref(`${alias}.run_id`)} = any(${runIds}::text[])`;
}
