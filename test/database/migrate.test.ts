import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "../../database/connect.ts";
import { migrate, pendingMigrations } from "../../database/migrate.ts";
import type { Database } from "../../database/schema.ts";
import { migrations } from "../../migrations/index.ts";
import { openServerTestDatabase, openTestDatabase, type TestDatabase } from "../support/database.ts";
import { startPostgres, type TestServer } from "../support/server.ts";
import { createDatabase } from "../support/server-database.ts";

const own = Object.keys(migrations);

function creates(table: string): Migration {
  return {
    async up(db) {
      await sql`create table ${sql.table(table)} (n integer)`.execute(db);
    },
  };
}

async function tableExists(db: Kysely<Database>, name: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select to_regclass(${name}) is not null as found`.execute(db);
  return rows[0]?.found === true;
}

function migrating(open: () => TestDatabase) {
  it("applies what is missing once, when five start at once", async () => {
    const { db } = open();
    const list = { ...migrations, "0901_first": creates("first"), "0902_second": creates("second") };
    expect(await pendingMigrations(db, list)).toEqual(["0901_first", "0902_second"]);
    const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(db, list)));
    expect(applied.toSorted((a, b) => b.length - a.length)).toEqual([["0901_first", "0902_second"], [], [], [], []]);
    expect(await pendingMigrations(db, list)).toEqual([]);
  });

  it("refuses a database of a newer version, naming what it has and what is known here", async () => {
    const { db } = open();
    await expect(migrate(db)).rejects.toThrow(/newer version.*"0901_first", "0902_second".*Update Mulligan/);
    await expect(pendingMigrations(db)).rejects.toThrow(`newest migration known here is "${own.at(-1)}"`);
  });

  it("leaves nothing of a migration that fails, nor of those before it, and names it", async () => {
    const { db } = open();
    const list = {
      ...migrations,
      "0901_first": creates("first"),
      "0902_second": creates("second"),
      "0903_third": creates("third"),
      "0904_broken": creates("third"),
    };
    await expect(migrate(db, list)).rejects.toThrow(/"0904_broken" could not be applied.*"third" already exists/);
    expect(await tableExists(db, "third")).toBe(false);
    expect(await tableExists(db, "second")).toBe(true);
    expect(await pendingMigrations(db, list)).toEqual(["0903_third", "0904_broken"]);
  });

  it("lifts the statement timeout for a migration only", async () => {
    const { db } = open();
    const timeout = async (asker: Kysely<Database>) =>
      (await sql<{ value: string }>`select current_setting('statement_timeout') as value`.execute(asker)).rows[0]
        ?.value;
    await db.connection().execute(async (connection) => {
      await sql`set statement_timeout to '5s'`.execute(connection);
      let during: string | undefined;
      const asks: Migration = {
        async up(db) {
          during = await timeout(db);
        },
      };
      const list = {
        ...migrations,
        "0901_first": creates("first"),
        "0902_second": creates("second"),
        "0903_asks": asks,
      };
      expect(await migrate(connection, list)).toEqual(["0903_asks"]);
      expect(during).toBe("0");
      expect(await timeout(connection)).toBe("5s");
    });
  });
}

describe("migrations on the embedded database", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());
  migrating(() => database);
});

const database = await openServerTestDatabase();
if (database === null) process.stderr.write("skipped: migrations on a server (no PostgreSQL found)\n");
describe.skipIf(database === null)("migrations on a server", () => {
  const server = () => database ?? expect.fail("skipped without a server");
  afterAll(() => server().close());
  migrating(server);
});

describe.skipIf(database === null)("migrations of an empty server database", () => {
  let server: TestServer | null;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.close());

  it("are applied once, when five processes' connections start at once", async (context) => {
    if (server === null) return context.skip("no PostgreSQL found");
    const databaseUrl = await createDatabase(server.url, "mulligan_test_empty");
    const connections = await Promise.all(Array.from({ length: 5 }, () => connect({ databaseUrl })));
    const [first] = connections;
    expect(await pendingMigrations(first?.db ?? expect.fail())).toEqual(own);
    const applied = await Promise.all(connections.map(({ db }) => migrate(db)));
    expect(applied.toSorted((a, b) => b.length - a.length)).toEqual([own, [], [], [], []]);
    expect(await first?.db.selectFrom("project").select("name").execute()).toEqual([{ name: "default" }]);
    await Promise.all(connections.map(({ close }) => close()));
  });
});
