import { sql } from "kysely";
import { Client, Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Connection, connect } from "../../database/connect.ts";
import { errorCode, isConnectionLost } from "../../database/errors.ts";
import { startPostgres } from "../support/server.ts";

const failure = (action: Promise<unknown>): Promise<unknown> =>
  action.then(
    () => expect.fail("it should have failed"),
    (error: unknown) => error,
  );

it.each([
  "08006",
  "53300",
  "53100",
  "57P01",
  "57P02",
  "57P03",
  "57014",
  "55P03",
  "40P01",
  "ECONNREFUSED",
  "ECONNRESET",
  "ETIMEDOUT",
])("%s means that the database is away, also as the cause of another error", (code) => {
  const error = Object.assign(new Error("text"), { code });
  expect(isConnectionLost(error)).toBe(true);
  expect(isConnectionLost(new Error("told", { cause: error }))).toBe(true);
  expect(errorCode(new Error("told", { cause: error }))).toBe(code);
});

it.each(["23505", "23514", "42601", "42P01", "22P02", "28P01", "3D000", "ENOENT", "EACCES"])(
  "%s is an error of ours or of the request",
  (code) => {
    expect(isConnectionLost(Object.assign(new Error("text"), { code }))).toBe(false);
  },
);

it("what is no error, or an unknown one, is not the database's absence", () => {
  for (const thrown of [undefined, null, "Connection terminated", 42, {}, new Error("a bug"), new AggregateError([])]) {
    expect(isConnectionLost(thrown)).toBe(false);
  }
  const mixed = [Object.assign(new Error(), { code: "ECONNREFUSED" }), new Error("a bug")];
  expect(isConnectionLost(new AggregateError(mixed))).toBe(false);
});

const server = await startPostgres();
if (server === null) process.stderr.write("skipped: errors of a server that goes away (no PostgreSQL found)\n");
describe.skipIf(server === null)("a server that goes away", () => {
  const own = () => server ?? expect.fail("skipped without a server");
  let connection: Connection;
  beforeAll(async () => {
    connection = await connect({ databaseUrl: own().url });
  });
  afterAll(async () => {
    await connection.close();
    await own().close();
  });
  const ask = () => sql`select 1`.execute(connection.db);

  it.each(["stop", "kill"] as const)(
    "by a %s is told from an error of ours, and used again once it is back",
    async (end) => {
      await ask();
      const waiting = failure(sql`select pg_sleep(600)`.execute(connection.db));
      const inTransaction = failure(
        connection.db.transaction().execute(async (trx) => {
          await sql`select 1`.execute(trx);
          await own()[end]();
          await sql`select 2`.execute(trx);
        }),
      );
      expect(isConnectionLost(await waiting)).toBe(true);
      expect(isConnectionLost(await inTransaction)).toBe(true);
      expect(isConnectionLost(await failure(ask()))).toBe(true);
      const start = await failure(connect({ databaseUrl: own().url }));
      expect(isConnectionLost(start)).toBe(true);
      expect(String(start)).toContain("no server listens there");
      const overSocket = await failure(connect({ databaseUrl: own().socketUrl }));
      expect(isConnectionLost(overSocket)).toBe(true);

      await own().start();
      await ask();
    },
  );

  it("by name is the same: localhost, with two addresses that both refuse", async () => {
    const url = new URL(own().url);
    await own().stop();
    url.hostname = "localhost";
    expect(isConnectionLost(await failure(connect({ databaseUrl: url.href })))).toBe(true);
    await own().start();
  });

  it("has no connection left", async () => {
    const pool = new Pool({ connectionString: own().url, max: 100 });
    pool.on("error", () => {});
    const all = await Promise.allSettled(Array.from({ length: 70 }, () => pool.connect()));
    const refused = all.filter((one) => one.status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every((one) => errorCode(one.reason) === "53300" && isConnectionLost(one.reason))).toBe(true);
    for (const one of all) if (one.status === "fulfilled") one.value.release();
    await pool.end();
  });

  it("has given every connection to somebody else for too long", async () => {
    const pool = new Pool({ connectionString: own().url, max: 1, connectionTimeoutMillis: 2000 });
    const held = await pool.connect();
    expect(isConnectionLost(await failure(pool.query("select 1")))).toBe(true);
    held.release();
    await pool.end();
    expect(isConnectionLost(await failure(pool.query("select 1")))).toBe(true);
  });

  it("lets a statement that fails be ours", async () => {
    const client = new Client({ connectionString: own().url });
    await client.connect();
    expect(isConnectionLost(await failure(client.query("select nothing")))).toBe(false);
    expect(isConnectionLost(await failure(client.query("set statement_timeout to 1; select pg_sleep(9)")))).toBe(true);
    await client.end();
    expect(isConnectionLost(await failure(client.query("select 1")))).toBe(true);
  });

  it("has its connections closed by us", async () => {
    const closed = await connect({ databaseUrl: own().url });
    await closed.close();
    await closed.close();
    expect(isConnectionLost(await failure(sql`select 1`.execute(closed.db)))).toBe(true);
  });
});
