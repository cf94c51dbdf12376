import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { linkPending } from "../../analytics/episodes/linker.ts";
import { countSetAside } from "../../collector/set-aside.ts";
import { createStore, type Store } from "../../collector/store.ts";
import { startWorker, type Worker } from "../../service/worker.ts";
import { emptyTables } from "../analytics/episodes/run-rows.ts";
import { call, NOON } from "../collector/observations.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";

const clock = () => new Date(NOON);
const PROJECT = 1;

let database: TestDatabase;
let store: Store;
let worker: Worker | undefined;
let logged: [event: string, fields: unknown][];
beforeAll(async () => {
  database = await openTestDatabase();
  store = createStore({ db: database.db, clock, projectId: PROJECT });
});
afterAll(() => database.close());
beforeEach(async () => {
  logged = [];
  await emptyTables(database.db);
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});

const start = () => {
  worker = startWorker({
    db: database.db,
    clock,
    projectId: PROJECT,
    log: (...line) => logged.push([line[0], line[1]]),
  });
  return worker;
};
const rejected = (runId: string, ordinal = 0) =>
  call(
    { span: runId, trace: runId },
    { run_id: runId, turn: 0, ordinal, failure_class: "schema", verdict: "rejected", fingerprint: "missing:a" },
  );
async function count(table: "episode" | "dirty_run" | "unassembled"): Promise<number> {
  const { rows } = await database.db
    .selectFrom(table)
    .select((at) => at.fn.countAll<string>().as("rows"))
    .executeTakeFirstOrThrow();
  return Number(rows);
}
/** Looks until it is so; a test that waits in vain ends by its timeout. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(10);
}

describe("the worker", () => {
  test("links while spans never cease to arrive", async () => {
    start();
    for (let i = 0; (await count("episode")) === 0; i += 1) {
      await store.insert([rejected(`a${i}`), rejected(`b${i}`)]);
      worker!.wake();
    }
    expect(logged).toEqual([]);
  });

  test("stopped, ends after the transaction at work and leaves the rest for the next start", async () => {
    await store.insert(Array.from({ length: 600 }, (_, i) => rejected(`r${i}`)));
    await start().stop();
    expect(await count("unassembled")).toBeGreaterThan(0);
    start();
    await until(async () => (await count("episode")) === 600);
  });

  test("goes on with the others where one run cannot be assembled, and says so without its text", async () => {
    await store.insert([rejected("a"), rejected("bad", 2 ** 40), rejected("z")]);
    start();
    await until(async () => (await count("episode")) === 2);
    expect(logged).toEqual([["a run was set aside", { code: "22003" }]]);
    expect(await countSetAside(database.db, PROJECT)).toBe(1);
    await worker!.stop();
    start();
    await until(async () => logged.length === 2);
    await until(async () => (await countSetAside(database.db, PROJECT)) === 1);
  });

  test("adds an episode to the rollups when it has settled, though nothing arrives any more", async () => {
    let now = NOON;
    worker = startWorker({ db: database.db, clock: () => new Date(now), projectId: PROJECT, log: () => {} });
    const rolled = async () =>
      (await database.db.selectFrom("episode").select("rolled").execute()).map((episode) => episode.rolled);
    await store.insert([rejected("a")]);
    worker.wake();
    await until(async () => (await rolled()).length === 1);
    expect(await rolled()).toEqual([false]);
    now += 24 * 3_600_000;
    worker.wake();
    await until(async () => (await rolled())[0] === true);
    const sums = await database.db.selectFrom("episode_day").select("episodes").execute();
    expect(sums).toEqual([{ episodes: "1" }]);
  });

  test("assembles while linking fails", async () => {
    await database.db.schema.alterTable("run_count").renameTo("run_count_away").execute();
    await store.insert([rejected("a")]);
    start();
    await until(async () => logged.length === 1);
    expect(logged).toEqual([["linking failed", { code: "42P01", again_in_ms: 1_000 }]]);
    await store.insert([rejected("b")]);
    worker!.wake();
    await until(async () => (await count("unassembled")) === 0);
    await database.db.schema.alterTable("run_count_away").renameTo("run_count").execute();
    await until(async () => (await count("episode")) === 2);
  });
});

test("linking that is to end takes up no further run", async () => {
  await store.insert([rejected("a")]);
  start();
  await until(async () => (await count("episode")) === 1);
  await worker!.stop();
  await database.db.insertInto("dirty_run").values({ project_id: PROJECT, run_id: "a", marked_at: clock() }).execute();
  expect(await linkPending(database.db, { projectId: PROJECT, clock, signal: AbortSignal.abort() })).toBe(0);
  expect(await count("dirty_run")).toBe(1);
  expect(await linkPending(database.db, { projectId: PROJECT, clock })).toBe(1);
});
