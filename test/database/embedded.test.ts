import { Client, Pool } from "pg";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { readDump } from "../../database/dump-cache.ts";
import { type Embedded, openEmbedded } from "../../database/embedded.ts";
import { isConnectionLost } from "../../database/errors.ts";

// Databases are made and opened in these tests: seconds each on an idle machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

async function openFromDump(): Promise<Embedded> {
  return openEmbedded({ loadDataDir: (await readDump(inject("dumpDir"))) ?? expect.fail("no dump") });
}

const range = (length: number) => Array.from({ length }, (_, index) => index);

describe("the embedded database behind a pg pool", () => {
  let embedded: Embedded;
  let pool: Pool;
  beforeAll(async () => {
    embedded = await openFromDump();
    pool = new Pool(embedded.pool);
    pool.on("error", () => {});
    await pool.query("create table counter (name text primary key, value integer not null)");
  });
  afterAll(async () => {
    await Promise.all([pool.end(), embedded.close()]);
  });

  it("gives each of many queries at once its own answer", async () => {
    const answers = await Promise.all(range(400).map((n) => pool.query("select $1::integer as n", [n])));
    expect(answers.map((answer) => answer.rows[0].n)).toEqual(range(400));
  });

  it("loses no update of transactions that read, then write, at once", async () => {
    await pool.query("insert into counter values ('transactions', 0)");
    const add = async () => {
      const client = await pool.connect();
      try {
        await client.query("begin");
        const { rows } = await client.query("select value from counter where name = 'transactions'");
        await client.query("update counter set value = $1 where name = 'transactions'", [rows[0].value + 1]);
        await client.query("commit");
      } finally {
        client.release();
      }
    };
    await Promise.all(range(100).map(add));
    const { rows } = await pool.query("select value from counter where name = 'transactions'");
    expect(rows).toEqual([{ value: 100 }]);
  });

  it("lets a query that fails fail alone", async () => {
    const answers = await Promise.allSettled(
      range(60).map((n) =>
        n % 3 === 0 ? pool.query("select 1 / $1::integer", [0]) : pool.query("select $1::text as n", [n]),
      ),
    );
    for (const [n, answer] of answers.entries()) {
      if (n % 3 === 0) expect(answer).toMatchObject({ status: "rejected", reason: { code: "22012" } });
      else expect(answer).toMatchObject({ status: "fulfilled", value: { rows: [{ n: String(n) }] } });
    }
  });

  it("keeps large parameters whole beside small ones", async () => {
    const sizes = range(150).map((n) => (n % 2 === 0 ? 400_000 + n : n));
    const answers = await Promise.all(
      sizes.map((size) =>
        pool.query("select length($1::text) as characters, length($2::bytea) as bytes", [
          "x".repeat(size),
          Buffer.alloc(size),
        ]),
      ),
    );
    expect(answers.map((answer) => answer.rows[0])).toEqual(sizes.map((size) => ({ characters: size, bytes: size })));
  });

  it("answers thousands of rows", async () => {
    const { rows } = await pool.query("select n from generate_series(1, 20000) n");
    expect(rows.map((row) => row.n)).toEqual(range(20_000).map((n) => n + 1));
  });

  it("rolls back a transaction whose connection breaks, and gives the next one a session as new", async () => {
    await pool.query("insert into counter values ('broken', 1)");
    const client = await pool.connect();
    await client.query("set work_mem to '77MB'");
    await client.query("create temporary table left_behind (n integer)");
    await client.query("begin");
    await client.query("update counter set value = 2 where name = 'broken'");
    client.release(true);
    const { rows } = await pool.query(
      "select value, current_setting('work_mem') as memory, to_regclass('left_behind') as temporary from counter where name = 'broken'",
    );
    expect(rows).toEqual([{ value: 1, memory: "4MB", temporary: null }]);
  });

  it.each([
    ["copy counter from stdin", undefined],
    ["select 1; copy counter (name, value) from stdin with (format csv)", undefined],
    ["-- one row per line\ncopy counter from stdin", undefined],
    ["/* rows */ COPY counter\nFROM STDIN", undefined],
    ["copy counter from stdin /* prepared */", []],
  ])("refuses COPY FROM STDIN, which it could not end, and goes on: %j", async (text, values) => {
    const query = { text, ...(values === undefined ? {} : { values, name: "copy_in" }) };
    await expect(pool.query(query)).rejects.toMatchObject({
      code: "0A000",
      message: expect.stringContaining("unnest"),
    });
    expect((await pool.query("select 'copy counter from stdin' as text")).rows).toHaveLength(1);
  });

  it("turns a pool query inside a transaction, which waits for itself, into an error", async () => {
    const other = await openFromDump();
    const impatient = new Pool({ ...other.pool, connectionTimeoutMillis: 2000 });
    const client = await impatient.connect();
    await client.query("begin");
    await expect(impatient.query("select 1")).rejects.toThrow("timeout exceeded when trying to connect");
    client.release();
    await Promise.all([impatient.end(), other.close()]);
  });
});

describe("the embedded database's end", () => {
  it("dumps what was written, so that another one can begin from it", async () => {
    const first = await openFromDump();
    const writer = new Client(first.pool);
    await writer.connect();
    await writer.query("create table kept as select 42 as answer");
    await writer.end();
    const dump = await first.dump();
    await first.close();

    const second = await openEmbedded({ loadDataDir: dump });
    const reader = new Client(second.pool);
    await reader.connect();
    expect((await reader.query("select answer from kept")).rows).toEqual([{ answer: 42 }]);
    await reader.end();
    await second.close();
  });

  it("fails the running query and every later one when its thread has died, with an error that means: away", async () => {
    const embedded = await openFromDump();
    const pool = new Pool(embedded.pool);
    pool.on("error", () => {});
    pool.on("connect", (client) => client.on("error", () => {}));
    const client = await pool.connect();
    client.connection.stream.write(Buffer.from([33, 0, 0, 0, 4])); // a message that the protocol does not know: FATAL
    const lost = await client.query("select 1").catch((error: unknown) => error);
    expect(lost).toMatchObject({ code: "08P01" });
    expect(isConnectionLost(lost)).toBe(true);
    client.release(true);
    const later = async () => {
      const error = await pool.query("select 1").catch((reason: unknown) => reason);
      expect(isConnectionLost(error)).toBe(true);
      return String(error);
    };
    await expect.poll(later).toContain("stopped by an error; start again to recover"); // once the thread is gone
    await Promise.all([pool.end(), embedded.close()]);
  });

  it("is ended from outside when a query does not end", async () => {
    const embedded = await openFromDump();
    const pool = new Pool(embedded.pool);
    pool.on("error", () => {});
    pool.on("connect", (client) => client.on("error", () => {}));
    const endless = pool.query("select count(*) from generate_series(1, 1e15)").catch((error: unknown) => error);
    await Promise.all([pool.end(), embedded.close()]);
    expect(isConnectionLost(await endless)).toBe(true);
  });

  it("rejects a dump that is none", async () => {
    await expect(openEmbedded({ loadDataDir: new Blob(["not a database"]) })).rejects.toThrow();
  });
});
