/** Brings a database up to the frozen list of migrations. */
import { type Kysely, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { migrations } from "../migrations/index.ts";
import type { Database } from "./schema.ts";

/** A frozen, ordered list of migrations by name. */
export type Migrations = Readonly<Record<string, Migration>>;

function migratorOf(db: Kysely<Database>, list: Migrations): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => ({ ...list }) } });
}

/**
 * Applies what is missing, in one transaction, under kysely's advisory lock: of several processes that start at once
 * one applies and the others wait and find nothing to do.
 *
 * The lock belongs to the connection: a pooler in transaction mode between here and Postgres would break it.
 *
 * @param list the migrations; the project's own unless a test says otherwise.
 * @returns the names that were applied, in order.
 * @throws when the database was migrated by a newer Mulligan, or a migration fails (nothing of it stays then).
 */
export async function migrate(db: Kysely<Database>, list: Migrations = migrations): Promise<string[]> {
  // One connection for all of it: only here may a statement take longer than the pool's statement_timeout.
  return db.connection().execute(async (connection) => {
    await refuseNewer(connection, list);
    const { rows } = await sql<{ before: string }>`select current_setting('statement_timeout') as before`.execute(
      connection,
    );
    await sql`select set_config('statement_timeout', '0', false)`.execute(connection);
    try {
      const { error, results = [] } = await migratorOf(connection, list).migrateToLatest();
      if (error !== undefined) {
        await refuseNewer(connection, list); // another process may have been newer, and first
        const failed = results.find((result) => result.status === "Error")?.migrationName;
        const which = failed === undefined ? "The migrations" : `Migration "${failed}"`;
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`${which} could not be applied, and the database is as it was before: ${reason}`, {
          cause: error,
        });
      }
      return results.map((result) => result.migrationName);
    } finally {
      // A connection that was lost has no setting to give back, and its error is the one to tell.
      await sql`select set_config('statement_timeout', ${rows[0]?.before ?? "0"}, false)`
        .execute(connection)
        .catch(() => {});
    }
  });
}

/** The names that `migrate` would apply, in order; changes nothing. */
export async function pendingMigrations(db: Kysely<Database>, list: Migrations = migrations): Promise<string[]> {
  await refuseNewer(db, list);
  const all = await migratorOf(db, list).getMigrations();
  return all.filter((migration) => migration.executedAt === undefined).map((migration) => migration.name);
}

/** A newer Mulligan's tables must not be written by an older one that does not know what they mean. */
async function refuseNewer(db: Kysely<Database>, list: Migrations): Promise<void> {
  const { rows: found } = await sql<{ found: boolean }>`
    select to_regclass('kysely_migration') is not null as found
  `.execute(db);
  if (!found[0]?.found) return;
  const { rows } = await sql<{ name: string }>`
    -- one row per applied migration
    select name from kysely_migration order by name
  `.execute(db);
  const unknown = rows.map((row) => row.name).filter((name) => !Object.hasOwn(list, name));
  if (unknown.length === 0) return;
  throw new Error(
    `The database was migrated by a newer version of Mulligan: it has "${unknown.join('", "')}", and the newest migration known here is "${Object.keys(list).at(-1)}". Update Mulligan, or give another database in DATABASE_URL or --data-dir.`,
  );
}
