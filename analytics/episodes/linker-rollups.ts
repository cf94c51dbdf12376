/**
 * The rollups: two families, each by the day and by the hour, sums of what rows of `run_count` and rolled episodes
 * contribute.
 *
 * Several transactions add to rows of the same hours and cohorts. Who has written such a row holds it until the commit,
 * so `add` comes last in a transaction, and everyone goes through the tables, and through the rows of each, in one order:
 * whoever waits holds nothing that those before it still need.
 */
import { type RawBuilder, sql, type Transaction } from "kysely";
import type { Database } from "../../database/schema.ts";
import {
  CALL_COUNTERS,
  CALL_KEYS,
  callContribution,
  EPISODE_COUNTERS,
  EPISODE_KEYS,
  episodeContribution,
} from "./linker-contributions.ts";

/** `call_day` and `call_hour`, or `episode_day` and `episode_hour`. */
export interface Family {
  readonly name: "call" | "episode";
  readonly keys: readonly string[];
  readonly counters: readonly string[];
  /** The counter that is 0 where nothing contributes any more. */
  readonly unit: string;
  /** Where the contributions are. */
  readonly source: "run_count" | "episode";
  /** Which rows of the source, that stands as `c`, contribute. */
  readonly contributes: RawBuilder<unknown>;
  /** Key by the hour and counters of a row of the source, that stands as `c`: a select list. */
  readonly contribution: RawBuilder<unknown>;
}

export const CALLS: Family = {
  name: "call",
  keys: CALL_KEYS,
  counters: CALL_COUNTERS,
  unit: "calls",
  source: "run_count",
  contributes: sql`true`,
  contribution: sql`
    c.project_id, date_trunc('hour', c.minute, 'UTC') as bucket, c.cohort_id, ${callContribution("c")}
  `,
};

export const EPISODES: Family = {
  name: "episode",
  keys: EPISODE_KEYS,
  counters: EPISODE_COUNTERS,
  unit: "episodes",
  source: "episode",
  contributes: sql`c.rolled`,
  contribution: sql`
    c.project_id, date_trunc('hour', c.opened_at, 'UTC') as bucket, c.cohort_id, c.kind, c.funnel_row,
    c.terminal_outcome, c.extra_model_turns, ${episodeContribution("c")}
  `,
};

/** Rows of a family by the hour as JSON text, which Postgres makes and reads, and nothing else looks into. */
export type HourRows = string;
export const NO_ROWS: HourRows = "[]";

export const names = (columns: readonly string[]): RawBuilder<unknown> =>
  sql.join(columns.map((column) => sql.ref(column)));

export const sums = (counters: readonly string[]): RawBuilder<unknown> =>
  sql.join(counters.map((counter) => sql`sum(${sql.ref(counter)}) as ${sql.ref(counter)}`));

/** Of a group of rows: that it changes a rollup. */
export const changes = (counters: readonly string[]): RawBuilder<unknown> =>
  sql.join(
    counters.map((counter) => sql`sum(${sql.ref(counter)}) <> 0`),
    sql` or `,
  );

/** A relation of the rows. */
export const hourRows = ({ name }: Family, rows: HourRows): RawBuilder<unknown> =>
  sql`json_populate_recordset(null::${sql.table(`${name}_hour`)}, ${rows}::json)`;

/** What is to be added to the rollups of a family. */
export interface Change {
  readonly rows: HourRows;
  /** A row may have come to zero: nothing contributes to it any more. */
  readonly shrinks: boolean;
}

/** Adds to the day, then to the hour. Nothing but another `add` may follow in the transaction, and calls come first. */
export async function add(trx: Transaction<Database>, family: Family, { rows, shrinks }: Change): Promise<void> {
  if (rows === NO_ROWS) return;
  const { keys, counters } = family;
  const added = counters.map((counter) => {
    const column = sql.ref(counter);
    return sql`${column} = ${sql.ref(`held.${counter}`)} + ${sql.ref(`excluded.${counter}`)}`;
  });
  for (const per of ["day", "hour"] as const) {
    const table = sql.table(`${family.name}_${per}`);
    await sql`
      insert into ${table} as held (${names([...keys, ...counters])})
      -- one row per bucket and key, in the order that everyone keeps
      select * from ${rowsPer(per, family, rows)} as change
      order by ${names(keys)}
      on conflict (${names(keys)}) do update set ${sql.join(added)}
    `.execute(trx);
    if (shrinks) await dropEmpty(trx, per, family, rows);
  }
}

async function dropEmpty(
  trx: Transaction<Database>,
  per: "day" | "hour",
  family: Family,
  rows: HourRows,
): Promise<void> {
  const sameKey = family.keys.map((key) => sql`${sql.ref(`held.${key}`)} = ${sql.ref(`change.${key}`)}`);
  await sql`
    delete from ${sql.table(`${family.name}_${per}`)} as held
    using ${rowsPer(per, family, rows)} as change
    where ${sql.join(sameKey, sql` and `)} and held.${sql.ref(family.unit)} = 0
  `.execute(trx);
}

function rowsPer(per: "day" | "hour", { keys, counters, ...family }: Family, rows: HourRows): RawBuilder<unknown> {
  const columns = keys.map((key) =>
    key === "bucket" ? sql`date_trunc(${sql.lit(per)}, hours.bucket, 'UTC') as bucket` : sql.ref(`hours.${key}`),
  );
  return sql`(
    -- one row per bucket and key
    select ${sql.join(columns)}, ${sums(counters)}
    from ${hourRows({ keys, counters, ...family }, rows)} as hours
    group by ${sql.raw(keys.map((_, index) => index + 1).join(", "))}
    having ${changes(counters)}
  )`;
}
