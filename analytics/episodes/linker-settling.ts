/** Episodes settle as time passes, and enter the rollups then. */
import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import { add, EPISODES, type HourRows, NO_ROWS, names, sums } from "./linker-rollups.ts";
import type { Clock } from "./linker-settings.ts";

/** Episodes that one transaction takes up, unless the caller says otherwise. */
const EPISODES_PER_TRANSACTION = 2_000;

/**
 * Adds to the rollups, in one transaction, episodes that have settled since their run was linked, those that settled
 * first before others. Episodes that another process is at work on are left to it: it settles them, or links their run.
 *
 * @returns how many episodes that were; 0 where none is left.
 */
export function settleSome(
  db: Kysely<Database>,
  options: { readonly projectId: number; readonly clock: Clock; readonly limit?: number },
): Promise<number> {
  const { projectId, clock, limit = EPISODES_PER_TRANSACTION } = options;
  const { contribution, keys, counters } = EPISODES;
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ settled: number; hours: HourRows }>`
      -- one row per episode
      with c as (
        update episode as due set rolled = true
        where due.ctid = any(array(
          -- one row per episode that has settled and that nobody else is at work on
          select ctid from episode
          where project_id = ${projectId} and not rolled and settles_at <= ${clock()}::timestamptz
          order by settles_at
          limit ${limit}
          for update skip locked
        ))
        returning *
      )
      -- one row in all
      select coalesce(sum(hours.episodes), 0)::int as settled, coalesce(json_agg(hours), ${NO_ROWS})::text as hours
      from (
        -- one row per hour and key
        select ${names(keys)}, ${sums(counters)}
        from (
          -- one row per episode
          select ${contribution} from c
        ) as contributions
        group by ${names(keys)}
      ) as hours
    `.execute(trx);
    const { settled, hours } = rows[0]!;
    await add(trx, EPISODES, { rows: hours, shrinks: false });
    return settled;
  });
}
