/** Opens the database: a Postgres server where an address is given, the embedded database otherwise. */
import { Kysely, PostgresDialect, sql } from "kysely";
import { Pool, type PoolConfig } from "pg";
import { isNew, markFinished, markUnfinished } from "./data-dir.ts";
import { dropDump, readDump, userCacheDir, writeDump } from "./dump-cache.ts";
import { type Embedded, openEmbedded } from "./embedded.ts";
import { explainEmbeddedError } from "./embedded-errors.ts";
import { type DataDirLock, lockDataDir } from "./lock.ts";
import { migrate } from "./migrate.ts";
import type { Database } from "./schema.ts";
import { checkServer, explainConnectError, parseDatabaseUrl } from "./server-errors.ts";

export interface ConnectOptions {
  /** The address of a Postgres server, `postgres://…`; absent → embedded. */
  readonly databaseUrl?: string | undefined;
  /** Where the embedded database lives; absent → in memory. */
  readonly dataDir?: string | undefined;
  /** A dump to begin a new embedded database from; absent → the cached, migrated empty one. */
  readonly dump?: Blob | undefined;
  /** Where that one is cached; absent → the user's own cache directory. */
  readonly cacheDir?: string | undefined;
  /** Connections to a server, at most; 10 if absent. The embedded database has one. */
  readonly maxConnections?: number | undefined;
  /** The time that a lock shows; the system's if absent. */
  readonly clock?: (() => Date) | undefined;
}

export interface Connection {
  readonly db: Kysely<Database>;
  readonly kind: "embedded" | "server";
  /** Tells other processes that want this data directory where to ask instead; no effect on a server. */
  announce(url: string): Promise<void>;
  /** Ends every connection and gives the data directory free; harmless when repeated. */
  close(): Promise<void>;
}

/** No statement of ours takes this long, except a migration, which lifts it. */
const STATEMENT_MILLISECONDS = 120_000;
/** A transaction that its client left open holds rows that others wait for. */
const IDLE_IN_TRANSACTION_MILLISECONDS = 60_000;
const CONNECT_MILLISECONDS = 10_000;

/**
 * Opens a database. A new embedded one is migrated already; any other may need `migrate(db)`.
 *
 * @throws an error that says what to do: bad address, no server, wrong password, version or encoding, a data directory
 *   that another process holds (`DataDirLockedError`) or that is none. `isConnectionLost(error)` tells a server that
 *   may yet come up.
 */
export async function connect(options: ConnectOptions): Promise<Connection> {
  return options.databaseUrl === undefined ? connectEmbedded(options) : connectServer(options.databaseUrl, options);
}

function openPool(config: PoolConfig): Kysely<Database> {
  const pool = new Pool(config);
  // A connection that breaks fails its query, and the next query opens another one. Without listeners, of the pool for
  // idle connections and of each for the time between two statements of a transaction, it would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
}

async function connectServer(databaseUrl: string, options: ConnectOptions): Promise<Connection> {
  const url = parseDatabaseUrl(databaseUrl);
  const db = openPool({
    connectionString: databaseUrl,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: "mulligan",
    onConnect: async (client) => {
      await client.query(
        `set timezone to 'UTC'; set statement_timeout to ${STATEMENT_MILLISECONDS}; set idle_in_transaction_session_timeout to ${IDLE_IN_TRANSACTION_MILLISECONDS}`,
      );
    },
  });
  const close = once(() => db.destroy());
  try {
    const { rows } = await sql<{ version: number; encoding: string }>`
      select
        current_setting('server_version_num')::integer as version,
        current_setting('server_encoding') as encoding
    `
      .execute(db)
      .catch((error: unknown) => {
        throw explainConnectError(url, error);
      });
    for (const server of rows) checkServer(server);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    db,
    kind: "server",
    announce: async () => {},
    close,
  };
}

async function connectEmbedded(options: ConnectOptions): Promise<Connection> {
  const { dataDir } = options;
  if (dataDir === undefined) return openNew(options, undefined);
  const lock = await lockDataDir(dataDir, options.clock ?? (() => new Date())).catch((error: unknown) => {
    throw explainEmbeddedError(dataDir, error);
  });
  try {
    if (!(await isNew(dataDir))) return serve(await openEmbedded({ dataDir }), lock);
    await markUnfinished(dataDir);
    const connection = await openNew(options, lock);
    await markFinished(dataDir);
    return connection;
  } catch (error) {
    await lock.release();
    throw explainEmbeddedError(dataDir, error);
  }
}

/** A new database: from the dump given, from the cached one, or made and then cached. */
async function openNew(options: ConnectOptions, lock: DataDirLock | undefined): Promise<Connection> {
  const { dataDir, cacheDir = userCacheDir() } = options;
  const where = dataDir === undefined ? {} : { dataDir };
  if (options.dump !== undefined) return serve(await openEmbedded({ ...where, loadDataDir: options.dump }), lock);
  const cached = await readDump(cacheDir);
  if (cached !== null) {
    const embedded = await openEmbedded({ ...where, loadDataDir: cached }).catch(() => null);
    if (embedded !== null) return serve(embedded, lock);
    await dropDump(cacheDir);
    if (dataDir !== undefined) await isNew(dataDir); // clears what the failed start has left
  }
  const embedded = await openEmbedded(where);
  const maker = openPool(embedded.pool);
  try {
    await migrate(maker);
  } finally {
    await maker.destroy();
  }
  await writeDump(cacheDir, await embedded.dump());
  return serve(embedded, lock);
}

function serve(embedded: Embedded, lock: DataDirLock | undefined): Connection {
  const db = openPool({
    ...embedded.pool,
    onConnect: async (client) => {
      await client.query("set timezone to 'UTC'");
    },
  });
  const close = once(async () => {
    // At once, so that a query that never ends is ended with the thread.
    await Promise.all([db.destroy(), embedded.close()]).finally(() => lock?.release());
  });
  return {
    db,
    kind: "embedded",
    announce: async (url) => lock?.announce(url),
    close,
  };
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= action());
}
