import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Kysely, sql } from "kysely";
import { Client } from "pg";
import { afterAll, afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { type ConnectOptions, connect } from "../../database/connect.ts";
import { readLock } from "../../database/lock.ts";
import { migrate } from "../../database/migrate.ts";
import type { Database } from "../../database/schema.ts";
import { checkServer } from "../../database/server-errors.ts";
import { startChild } from "../support/child.ts";
import { startPostgres } from "../support/server.ts";

// Databases are made and opened in these tests: seconds each on an idle machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const refused = async (options: ConnectOptions): Promise<string> => {
  const error: unknown = await connect({ cacheDir: inject("dumpDir"), ...options }).catch((reason: unknown) => reason);
  return error instanceof Error ? error.message : expect.fail("it should have been refused");
};

const mark = (db: Kysely<Database>, runId: string) =>
  db
    .insertInto("dirty_run")
    .values({ project_id: 1, run_id: runId, marked_at: new Date(0) })
    .execute();
const marks = async (db: Kysely<Database>) =>
  (await db.selectFrom("dirty_run").select("run_id").orderBy("run_id").execute()).map((row) => row.run_id);
const timezone = async (db: Kysely<Database>) =>
  (await sql<{ zone: string }>`select current_setting('timezone') as zone`.execute(db)).rows[0]?.zone;

describe("an embedded database", () => {
  let parent: string;
  let options: { dataDir: string; cacheDir: string };
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), "mulligan-connect-"));
    options = { dataDir: join(parent, "deep", "data"), cacheDir: inject("dumpDir") };
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));

  it("is migrated when it is new, keeps its rows over a close, and leaves nothing but its directory", async () => {
    const first = await connect(options);
    expect(first.kind).toBe("embedded");
    expect(await migrate(first.db)).toEqual([]);
    expect(await timezone(first.db)).toBe("UTC");
    await mark(first.db, "kept");
    await Promise.all([first.close(), first.close()]);
    expect(await readdir(join(parent, "deep"))).toEqual(["data"]);

    const second = await connect(options);
    expect(await marks(second.db)).toEqual(["kept"]);
    await second.close();
  });

  it("prints nothing, and lets its process end by itself once it is closed", async () => {
    const child = startChild(new URL("./children/open-close.ts", import.meta.url), options.dataDir, options.cacheDir);
    const printed: string[] = [];
    for await (const line of child.lines) printed.push(line);
    expect({ code: await child.ended, printed, errors: child.errors() }).toEqual({ code: 0, printed: [], errors: "" });
  });

  it("in memory is each caller's own", async () => {
    const [one, other] = await Promise.all([
      connect({ cacheDir: options.cacheDir }),
      connect({ cacheDir: options.cacheDir }),
    ]);
    await mark(one.db, "one");
    expect(await marks(other.db)).toEqual([]);
    await Promise.all([one.close(), other.close()]);
  });

  it("is held until it is closed, and says where its server listens", async () => {
    const { announce, close } = await connect({ ...options, clock: () => new Date("2026-11-30T12:00:00Z") });
    await announce("http://127.0.0.1:4318");
    expect(await refused(options)).toContain(`process ${process.pid}, since 2026-11-30T12:00:00.000Z`);
    expect(await refused(options)).toContain("It serves http://127.0.0.1:4318: ask there.");
    await close();
    expect(await readLock(options.dataDir)).toBeNull();
  });

  it("is made anew where its first start was killed half way", async () => {
    await mkdir(options.dataDir, { recursive: true });
    await writeFile(join(options.dataDir, "PG_VERSION"), "18\n");
    await writeFile(`${options.dataDir}.unfinished`, "");
    const { db, close } = await connect(options);
    expect(await marks(db)).toEqual([]);
    await close();
    expect(await readdir(join(parent, "deep"))).toEqual(["data"]);
  });

  it("refuses a directory that holds something else, touches nothing there, and does not keep it locked", async () => {
    await mkdir(options.dataDir, { recursive: true });
    await writeFile(join(options.dataDir, "thesis.tex"), "years of work");
    expect(await refused(options)).toMatch(/holds other files \(thesis\.tex\)\. Give an empty or a new directory/);
    expect(await readdir(options.dataDir)).toEqual(["thesis.tex"]);
    await writeFile(join(options.dataDir, "PG_VERSION"), "15\n");
    expect(await refused(options)).toMatch(/belongs to PostgreSQL 15, and the embedded database is 18/);
    expect(await refused({ ...options, dataDir: join(options.dataDir, "thesis.tex") })).toContain("is a file");
    expect(await readLock(options.dataDir)).toBeNull();
    expect((await readdir(join(parent, "deep"))).toSorted()).toEqual(["data"]);
  });
});

describe("an address that leads nowhere is refused with what to do", () => {
  it.each([
    "me:word@host/x",
    "postgres://me:pass#word@host/x",
    "postgres://me:5/word@host/x",
    "postgres://me:5?word@host/x",
    "postgres://:port",
    "",
  ])("an address that a password's characters cut short, or that is none: %j", async (databaseUrl) => {
    const message = await refused({ databaseUrl });
    expect(message).toMatch(
      /is no address \(\d+ characters, not shown.*like postgres:\/\/user:password@localhost:5432\/mulligan/,
    );
    expect(message).not.toMatch(/word@host/);
  });

  it("another kind of server", async () => {
    const message = await refused({ databaseUrl: "mysql://root:secret@localhost/x" });
    expect(message).toMatch(/begins with mysql:\/\/\. Write it like postgres:.*embedded/);
    expect(message).not.toContain("secret");
  });

  it("no server there", async () => {
    const message = await refused({ databaseUrl: "postgres://me:secret@127.0.0.1:1/x?sslkey=private" });
    expect(message).toMatch(
      /postgres:\/\/…@127\.0\.0\.1:1\/x: no server listens there\. Start it, or correct host and port/,
    );
    expect(message).not.toMatch(/secret|private/);
  });

  it("no such host", async () => {
    expect(await refused({ databaseUrl: "postgres://no-such-host.invalid/x" })).toContain("host name is not known");
  });
});

it.each([
  [
    { version: 140_012, encoding: "UTF8" },
    /is PostgreSQL 14\.12; Mulligan runs on PostgreSQL 15 to 18\. Upgrade the server/,
  ],
  [{ version: 190_001, encoding: "UTF8" }, /is PostgreSQL 19\.1; .* 15 to 18\. Update Mulligan/],
  [{ version: 160_003, encoding: "LATIN1" }, /stores text as LATIN1.*--encoding=UTF8/],
])("a server that cannot hold the data is refused: %j", (server, message) => {
  expect(() => checkServer(server)).toThrow(message);
});

it.each([150_000, 180_007])("a server of version number %i is taken", (version) => {
  expect(() => checkServer({ version, encoding: "UTF8" })).not.toThrow();
});

const server = await startPostgres();
if (server === null) process.stderr.write("skipped: connections to a server (no PostgreSQL found)\n");
describe.skipIf(server === null)("a server", () => {
  const own = () => server ?? expect.fail("skipped without a server");
  afterAll(() => own().close());
  const at = (parts: { username?: string; password?: string; pathname?: string }) => ({
    databaseUrl: Object.assign(new URL(own().url), parts).href,
  });

  it("is spoken to over TCP and its unix socket, in UTC, with bounds on what may hang", async () => {
    for (const databaseUrl of [own().url, own().socketUrl]) {
      const { db, kind, announce, close } = await connect({ databaseUrl, maxConnections: 2 });
      expect(kind).toBe("server");
      await announce("http://127.0.0.1:4318");
      expect(await timezone(db)).toBe("UTC");
      const { rows } = await sql<{ name: string; setting: string }>`
        select name, setting from pg_settings where name in ('statement_timeout', 'idle_in_transaction_session_timeout')
      `.execute(db);
      expect(rows.map((row) => Number(row.setting) > 0)).toEqual([true, true]);
      await close();
    }
  });

  it("without that database says how to make it", async () => {
    expect(await refused(at({ pathname: "/missing" }))).toContain(
      'no database "missing". Create it, as with: createdb missing',
    );
  });

  it("that refuses the user says so, and shows no password", async () => {
    const message = await refused(at({ username: "stranger", password: "secret" }));
    expect(message).toMatch(/refuses the user or password/);
    expect(message).not.toContain("secret");
  });

  it("with text in another encoding is refused", async () => {
    const client = new Client({ connectionString: own().url });
    await client.connect();
    await client.query("create database old_text encoding 'SQL_ASCII' template template0");
    await client.end();
    expect(await refused(at({ pathname: "/old_text" }))).toContain("stores text as SQL_ASCII");
  });
});
