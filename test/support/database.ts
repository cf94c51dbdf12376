/** A migrated database for one test file. */
import { randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import { inject } from "vitest";
import { connect } from "../../database/connect.ts";
import { migrate } from "../../database/migrate.ts";
import type { Database } from "../../database/schema.ts";
import { startPostgres } from "./server.ts";
import { createDatabase, dropDatabase } from "./server-database.ts";

export interface TestDatabase {
  readonly db: Kysely<Database>;
  readonly kind: "embedded" | "server";
  /** The address, where it is a server's. */
  readonly url?: string;
  close(): Promise<void>;
}

/**
 * Opens an empty, migrated database of the caller's own: embedded and in memory, or, where
 * `MULLIGAN_TEST_DATABASE_URL` names a server, a new database there, which `close` drops.
 *
 * One per test file (1 to 2 s on the embedded database): open in `beforeAll`, close in `afterAll`.
 */
export async function openTestDatabase(): Promise<TestDatabase> {
  return (await openOnGivenServer()) ?? (await connect({ cacheDir: inject("dumpDir") }));
}

/**
 * Opens an empty, migrated database on a Postgres server, for what one connection cannot show: the server that
 * `MULLIGAN_TEST_DATABASE_URL` names, else one of the test's own (1 to 3 s).
 *
 * @returns null where neither is to be had: say that the test is skipped.
 */
export async function openServerTestDatabase(): Promise<(TestDatabase & { readonly url: string }) | null> {
  const given = await openOnGivenServer();
  if (given !== null) return given;
  const server = await startPostgres();
  if (server === null) return null;
  const { db, kind, close } = await connect({ databaseUrl: server.url });
  await migrate(db);
  return { db, kind, url: server.url, close: () => close().then(server.close) };
}

async function openOnGivenServer(): Promise<(TestDatabase & { readonly url: string }) | null> {
  const made = await createOnGivenServer();
  if (made === null) return null;
  const { db, kind, close } = await connect({ databaseUrl: made.url });
  return { db, kind, url: made.url, close: () => close().then(made.drop) };
}

/** A new, migrated database on the server that `MULLIGAN_TEST_DATABASE_URL` names, not opened; null where it names none. */
export async function createOnGivenServer(): Promise<{ url: string; drop(): Promise<void> } | null> {
  const server = process.env.MULLIGAN_TEST_DATABASE_URL;
  const template = inject("templateDatabase");
  if (server === undefined || template === null) return null;
  const name = `mulligan_test_${randomBytes(6).toString("hex")}`;
  const url = await createDatabase(server, name, template);
  return { url, drop: () => dropDatabase(server, name) };
}
