/** A database of the benchmark's own on a server that others may use too: made, used, dropped, nothing else touched. */
import { randomBytes } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { type Connection, connect } from "../database/connect.ts";
import { errorCode } from "../database/errors.ts";
import { migrate } from "../database/migrate.ts";
import type { Database } from "../database/schema.ts";
import { CannotMeasure } from "./question.ts";

export interface BenchDatabase extends Pick<Connection, "db" | "close"> {
  /** Its address, for other processes. */
  readonly url: string;
  /** `PostgreSQL 17.5`, as the server says it. */
  readonly version: string;
}

/**
 * Gives `use` an empty, migrated database, and drops it when `use` has ended, however it ended.
 *
 * @throws {CannotMeasure} where the server cannot be reached.
 */
export async function withDatabase<T>(serverUrl: string, use: (database: BenchDatabase) => Promise<T>): Promise<T> {
  const server = await connect({ databaseUrl: serverUrl, maxConnections: 1 }).catch((error: unknown) => {
    throw new CannotMeasure(
      `A Postgres server is needed, and none was reached (${errorCode(error) ?? "no answer"}). Give one on which databases may be created: MULLIGAN_BENCH_DATABASE_URL=postgres://user:password@127.0.0.1:5432/postgres`,
    );
  });
  const name = `mulligan_bench_${randomBytes(6).toString("hex")}`;
  try {
    await sql`create database ${sql.table(name)} template template0 encoding 'UTF8'`.execute(server.db);
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    const { db, close } = await connect({ databaseUrl: url.href });
    try {
      await migrate(db);
      return await use({ db, close, url: url.href, version: await versionOf(db) });
    } finally {
      await close();
    }
  } finally {
    await sql`drop database if exists ${sql.table(name)} with (force)`.execute(server.db);
    await server.close();
  }
}

async function versionOf(db: Kysely<Database>): Promise<string> {
  const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(db);
  return `PostgreSQL ${rows[0]?.version.split(" ")[0] ?? "of unknown version"}`;
}
