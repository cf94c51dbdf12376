/** The weeks of the partitioned tables: each from Monday 00:00 UTC to the next, made when a row needs one. */
import { type Kysely, sql } from "kysely";
import type { Database } from "./schema.ts";

export type PartitionedTable = "observation" | "turn" | "call";

const DAY = 24 * 60 * 60 * 1000;
const WEEK = 7 * DAY;
/** A Monday, so that weeks count from it: 1970-01-05. */
const FIRST_MONDAY = 4 * DAY;
/** An advisory lock of our own ("Mull" in ASCII), taken while weeks are made. */
const LOCK = [0x4d756c6c, 1] as const;
/** What Postgres and ISO 8601 write with four digits. */
const EARLIEST = new Date("0001-01-08T00:00:00Z").getTime();
const LATEST = new Date("9999-12-27T00:00:00Z").getTime();

/** Weeks that are known to exist, by database handle. */
const known = new WeakMap<Kysely<Database>, Set<string>>();

/** The start of the week that holds `time`: Monday 00:00 UTC, in milliseconds since 1970. */
export function weekOf(time: Date): number {
  const at = time.getTime();
  if (!(at >= EARLIEST && at < LATEST)) {
    throw new RangeError(
      `A row's time must lie in the years 1 to 9999, as 2026-01-15T12:00:00Z does; got ${Number.isNaN(at) ? "an invalid date" : time.toISOString()}.`,
    );
  }
  return Math.floor((at - FIRST_MONDAY) / WEEK) * WEEK + FIRST_MONDAY;
}

/** `call_w20261130` for the week from 2026-11-30. */
function partitionName(table: PartitionedTable, week: number): string {
  return `${table}_w${new Date(week).toISOString().slice(0, 10).replaceAll("-", "")}`;
}

/**
 * Makes the partitions that rows with these start times need. Known weeks cost no query; safe in several processes.
 *
 * Call it before the transaction that inserts, with the database itself: a week must stay when that transaction is
 * rolled back, and on the embedded database a second connection inside a transaction would wait for itself.
 *
 * A week that somebody dropped is still remembered here. An insert then fails so that `isMissingPartition(error)` is
 * true: the caller runs `forgetPartitions(db)`, this, and its transaction once more.
 */
export async function ensurePartitions(
  db: Kysely<Database>,
  table: PartitionedTable,
  times: Iterable<Date>,
): Promise<void> {
  if (db.isTransaction) {
    throw new Error(
      "ensurePartitions was given a transaction; call it before the transaction, with the database itself: ensurePartitions(db, table, times).",
    );
  }
  const weeks = known.get(db) ?? new Set<string>();
  known.set(db, weeks);
  const missing = new Map<string, number>();
  const needed = new Set<number>();
  for (const time of times) needed.add(weekOf(time));
  for (const week of needed) {
    const name = partitionName(table, week);
    if (!weeks.has(name)) missing.set(name, week);
  }
  if (missing.size === 0) return;
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${LOCK[0]}::integer, ${LOCK[1]}::integer)`.execute(trx);
    const { rows } = await sql<{ name: string }>`
      -- one row per partition that is there
      select child.relname as name
      from pg_inherits
      join pg_class child on child.oid = pg_inherits.inhrelid
      where pg_inherits.inhparent = ${table}::regclass and child.relname = any(${[...missing.keys()]}::text[])
    `.execute(trx);
    const present = new Set(rows.map((row) => row.name));
    for (const [name, week] of missing) {
      if (!present.has(name)) await createWeek(trx, table, name, week);
    }
  });
  for (const name of missing.keys()) weeks.add(name);
}

/** Made apart and then attached: `create table … partition of` would shut out every reader and writer of the table. */
async function createWeek(trx: Kysely<Database>, table: PartitionedTable, name: string, week: number): Promise<void> {
  const parent = sql.table(table);
  const child = sql.table(name);
  const from = sql.lit(new Date(week).toISOString());
  const to = sql.lit(new Date(week + WEEK).toISOString());
  await sql`create table ${child} (like ${parent} including defaults including constraints)`.execute(trx);
  await sql`alter table ${parent} attach partition ${child} for values from (${from}) to (${to})`.execute(trx);
}

/** Forgets which weeks exist, so that the next `ensurePartitions` looks again. */
export function forgetPartitions(db: Kysely<Database>): void {
  known.delete(db);
}
