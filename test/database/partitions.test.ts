import { type Kysely, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "../../database/connect.ts";
import { isMissingPartition } from "../../database/errors.ts";
import { ensurePartitions, forgetPartitions, type PartitionedTable, weekOf } from "../../database/partitions.ts";
import type { Database } from "../../database/schema.ts";
import { openServerTestDatabase, openTestDatabase, type TestDatabase } from "../support/database.ts";

const at = (text: string) => new Date(text);

async function weeksOf(db: Kysely<Database>, table: PartitionedTable): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    -- one row per partition
    select inhrelid::regclass::text as name from pg_inherits where inhparent = ${table}::regclass order by name
  `.execute(db);
  return rows.map((row) => row.name);
}

let spans = 0;
async function insertTurn(db: Kysely<Database>, time: Date): Promise<void> {
  await db
    .insertInto("turn")
    .values({ project_id: 1, run_id: "run", turn: spans++, leg: 0, turn_source: "exact", start_time: time })
    .execute();
}

/** In which partition the rows lie. */
async function placesOf(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ place: string }>`
    -- one row per turn
    select tableoid::regclass::text as place from turn order by start_time, turn
  `.execute(db);
  return rows.map((row) => row.place);
}

it("begins a week on Monday 00:00 UTC, before 1970 too", () => {
  expect(new Date(weekOf(at("2026-11-30T00:00:00Z")))).toEqual(at("2026-11-30T00:00:00Z"));
  expect(new Date(weekOf(at("2026-11-29T23:59:59.999Z")))).toEqual(at("2026-11-23T00:00:00Z"));
  expect(new Date(weekOf(at("1969-12-31T12:00:00Z")))).toEqual(at("1969-12-29T00:00:00Z"));
  expect(() => weekOf(new Date(Number.NaN))).toThrow("got an invalid date");
  expect(() => weekOf(new Date(8.64e15))).toThrow("years 1 to 9999");
});

function partitioning(open: () => TestDatabase) {
  it("makes each week once, for rows on both sides of a week's and a year's edge", async () => {
    const { db } = open();
    const times = [
      "2024-12-29T23:59:59.999Z",
      "2024-12-30T00:00:00Z",
      "2025-01-05T23:59:59.999Z",
      "0001-01-08T00:00:00Z",
    ].map(at);
    await ensurePartitions(db, "turn", times);
    await ensurePartitions(db, "turn", times);
    expect(await weeksOf(db, "turn")).toEqual(["turn_w00010108", "turn_w20241223", "turn_w20241230"]);
    for (const time of times) await insertTurn(db, time);
    expect(await placesOf(db)).toEqual(["turn_w00010108", "turn_w20241223", "turn_w20241230", "turn_w20241230"]);
  });

  it.each(["observation", "turn", "call"] as const)(
    "gives a week of %s every index and constraint of its table",
    async (table) => {
      const { db } = open();
      await ensurePartitions(db, table, [at("2026-02-02T00:00:00Z")]);
      const { rows } = await sql<{ parent: number; child: number; key: number }>`
      select
        (select count(*)::integer from pg_index where indrelid = ${table}::regclass) as parent,
        (select count(*)::integer from pg_index join pg_inherits on inhrelid = indexrelid where indrelid = ${`${table}_w20260202`}::regclass) as child,
        (select count(*)::integer from pg_constraint where conrelid = ${`${table}_w20260202`}::regclass and contype = 'p') as key
    `.execute(db);
      expect(rows[0]?.parent).toBeGreaterThan(1);
      expect(rows[0]?.child).toBe(rows[0]?.parent);
      expect(rows[0]?.key).toBe(1);
    },
  );

  it("asks the database nothing for weeks that it knows", async () => {
    const { db } = open();
    await ensurePartitions(db, "turn", [at("2026-03-02T00:00:00Z")]);
    await sql`drop table turn_w20260302`.execute(db);
    await ensurePartitions(db, "turn", [at("2026-03-02T00:00:00Z")]);
    expect(await weeksOf(db, "turn")).not.toContain("turn_w20260302");
  });

  it("heals a known week that somebody dropped, by the error that tells it from a failed check", async () => {
    const { db } = open();
    const time = at("2026-03-03T00:00:00Z");
    const error = await insertTurn(db, time).catch((reason: unknown) => reason);
    expect(isMissingPartition(error)).toBe(true);
    forgetPartitions(db);
    await ensurePartitions(db, "turn", [time]);
    await insertTurn(db, time);
    expect(await placesOf(db)).toContain("turn_w20260302");

    const check = await db
      .updateTable("project")
      .set({ link_window: 0 })
      .execute()
      .catch((reason: unknown) => reason);
    expect(check).toMatchObject({ code: "23514" });
    expect(isMissingPartition(check)).toBe(false);
  });

  it("refuses a transaction, and stays after one that was rolled back", async () => {
    const { db } = open();
    const time = at("2026-04-06T00:00:00Z");
    const rolledBack = db.transaction().execute((trx) => ensurePartitions(trx, "turn", [time]));
    await expect(rolledBack).rejects.toThrow("call it before the transaction");
    expect(await weeksOf(db, "turn")).not.toContain("turn_w20260406");
  });

  it("makes weeks for many callers at once", async () => {
    const { db } = open();
    const weeks = Array.from({ length: 12 }, (_, week) => new Date(Date.UTC(2027, 0, 4 + 7 * week)));
    await Promise.all(
      Array.from({ length: 8 }, (_, caller) => ensurePartitions(db, "observation", weeks.slice(caller % 4).reverse())),
    );
    expect((await weeksOf(db, "observation")).filter((name) => name.includes("w2027"))).toHaveLength(12);
  });
}

describe("partitions of the embedded database", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());
  partitioning(() => database);
});

const database = await openServerTestDatabase();
if (database === null) process.stderr.write("skipped: partitions on a server (no PostgreSQL found)\n");
describe.skipIf(database === null)("partitions on a server", () => {
  const server = () => database ?? expect.fail("skipped without a server");
  afterAll(() => server().close());
  partitioning(server);

  it("are made by several processes at once that write into them at the same time", async () => {
    const { url, db } = server();
    const connections = await Promise.all(
      Array.from({ length: 4 }, () => connect({ databaseUrl: url, maxConnections: 3 })),
    );
    const weeks = Array.from({ length: 10 }, (_, week) => new Date(Date.UTC(2028, 0, 3 + 7 * week)));
    const before = (await placesOf(db)).length;
    await Promise.all(
      connections.flatMap((connection) =>
        weeks.map(async (week) => {
          await ensurePartitions(connection.db, "turn", [week]);
          await insertTurn(connection.db, week);
        }),
      ),
    );
    expect((await weeksOf(db, "turn")).filter((name) => name.includes("w2028"))).toHaveLength(10);
    expect(await placesOf(db)).toHaveLength(before + 40);
    await Promise.all(connections.map(({ close }) => close()));
  });

  it("wait for no reader and no writer whose transaction is open", async () => {
    const { db } = server();
    await ensurePartitions(db, "turn", [at("2029-01-01T00:00:00Z")]);
    await db.transaction().execute(async (trx) => {
      await insertTurn(trx, at("2029-01-01T00:00:00Z"));
      await placesOf(trx);
      await ensurePartitions(db, "turn", [at("2029-01-08T00:00:00Z")]);
      await insertTurn(trx, at("2029-01-08T00:00:00Z"));
    });
    expect((await placesOf(db)).slice(-2)).toEqual(["turn_w20290101", "turn_w20290108"]);
  });
});
