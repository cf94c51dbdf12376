/** What is stored, kept aside, so that each test may tamper with it. */
import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";

const TABLES = [
  ...(["observation", "unassembled", "run", "turn", "call", "dirty_run", "episode", "attempt", "cohort"] as const),
  ...(["run_count", "call_day", "call_hour", "episode_day", "episode_hour", "import_file"] as const),
] satisfies (keyof Database)[];

/** Copies every table; what is returned puts the copies back. */
export async function save(db: Kysely<Database>): Promise<() => Promise<void>> {
  await sql`create schema if not exists saved`.execute(db);
  for (const table of TABLES) {
    await sql`drop table if exists ${sql.table(`saved.${table}`)}`.execute(db);
    await sql`create table ${sql.table(`saved.${table}`)} as table ${sql.table(table)}`.execute(db);
  }
  return async () => {
    for (const table of TABLES) {
      await sql`delete from ${sql.table(table)}`.execute(db);
      await sql`insert into ${sql.table(table)} select * from ${sql.table(`saved.${table}`)}`.execute(db);
    }
  };
}

/** Empties every table but that of projects. */
export async function empty(db: Kysely<Database>): Promise<void> {
  for (const table of TABLES) await sql`delete from ${sql.table(table)}`.execute(db);
}

/** A digest of the rows of every table. */
export async function contents(db: Kysely<Database>): Promise<Record<string, string | null>> {
  const digests: Record<string, string | null> = {};
  for (const table of TABLES) {
    const { rows } = await sql<{ digest: string | null }>`
      -- one row in all
      select md5(string_agg(one::text, ',' order by one::text)) as digest from ${sql.table(table)} as one
    `.execute(db);
    digests[table] = rows[0]!.digest;
  }
  return digests;
}
