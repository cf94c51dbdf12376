/** What linking and settling do to the rollups, case by case; `rollups.test.ts` does it at random. */
import { type Kysely, sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { linkPending, linkSome } from "../../../analytics/episodes/linker.ts";
import { applySettings, relinkAll } from "../../../analytics/episodes/linker-settings.ts";
import { settleSome } from "../../../analytics/episodes/linker-settling.ts";
import type { Database } from "../../../database/schema.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { expectedRollups, storedRollups } from "./found-rollups.ts";
import { rowsOf } from "./found-rows.ts";
import { emptyTables, PROJECT, removeRun, storeRun } from "./run-rows.ts";
import { NOW, readVectors, runOf, settingsOf } from "./vector-run.ts";

const at = (seconds: number) => new Date(NOW + seconds * 1000);
const clock = () => at(0);
const later = () => at(24 * 3600);
const vectors = [...readVectors("scenarios.json"), ...readVectors("scenarios-more.json")];
const vector = (name: string) => vectors.find((one) => one.name === name)!;
const repaired = runOf(vector("repaired-next-turn"), false);
/** Not ended, so that its episode settles by time. */
const open = { ...repaired, ended: false, outcome: null };

let database: TestDatabase;
let db: Kysely<Database>;
beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(() => database.close());
beforeEach(async () => {
  await emptyTables(db);
  await applySettings(db, { projectId: PROJECT, clock }, settingsOf(vector("repaired-next-turn")));
});

const link = () => linkPending(db, { projectId: PROJECT, clock });
/** One row over all cohorts, buckets and keys. */
async function totals(table: "call_day" | "call_hour" | "episode_day" | "episode_hour", columns: readonly string[]) {
  const { rows } = await sql<Record<string, number>>`
    -- one row in all
    select ${sql.join(columns.map((column) => sql`coalesce(sum(${sql.ref(column)}), 0)::float8 as ${sql.ref(column)}`))}
    from ${sql.table(table)}
  `.execute(db);
  return rows[0]!;
}
/** Which version of each row is stored: another one after whatever write. */
async function versions() {
  const tables = ["call_day", "call_hour", "episode_day", "episode_hour", "cohort"];
  const of = (table: string) => sql`select ${table} as name, ctid::text, xmin::text from ${sql.table(table)}`;
  const { rows } = await sql`${sql.join(tables.map(of), sql` union all `)} order by 1, 2`.execute(db);
  return rows;
}
const PLACES = ["runs", "runs_ended", "runs_known", "runs_completed", "tool_runs", "tool_runs_completed"];

describe("a rollup", () => {
  test("holds the runs of a day and an hour in one row for the same cohort, and each run's contribution is its own", async () => {
    await storeRun(db, { runId: "one", run: repaired }, at(0));
    await storeRun(db, { runId: "two", run: repaired }, at(0));
    await link();
    const both = await storedRollups(db);
    expect(both).toEqual(await expectedRollups(db));
    expect(both.call_day).toMatchObject([{ calls: "2" }, { calls: "2" }]);
    expect(both.episode_hour).toMatchObject([{ episodes: "2", first_repair: "2", linked_digest: "2" }]);
    await removeRun(db, "one", at(1));
    await link();
    expect(await storedRollups(db)).toEqual(await expectedRollups(db));
    expect(await totals("call_day", ["calls", "runs"])).toEqual({ calls: 2, runs: 1 });
  });

  test("keeps no row of a run that is gone", async () => {
    await storeRun(db, { runId: "gone", run: repaired }, at(0));
    await link();
    await removeRun(db, "gone", at(1));
    await link();
    expect(await storedRollups(db)).toEqual({ call_day: [], call_hour: [], episode_day: [], episode_hour: [] });
  });

  test("is not written where a run is linked anew to the same", async () => {
    for (const one of vectors) await storeRun(db, { runId: one.name, run: runOf(one, false) }, at(0));
    await link();
    const before = await versions();
    expect(before.length).toBeGreaterThan(100);
    await relinkAll(db, { projectId: PROJECT, clock });
    expect(await link()).toBe(vectors.length);
    expect(await versions()).toEqual(before);
  });

  test("counts a run where it stands, and follows its end and its outcome", async () => {
    await storeRun(db, { runId: "ends", run: open }, at(0));
    await link();
    const standing = { runs: 1, runs_ended: 0, runs_known: 0, runs_completed: 0, tool_runs: 1, tool_runs_completed: 0 };
    expect(await totals("call_day", PLACES)).toEqual(standing);
    await storeRun(db, { runId: "ends", run: { ...open, ended: true, outcome: null } }, at(1));
    await link();
    expect(await totals("call_day", PLACES)).toEqual({ ...standing, runs_ended: 1 });
    await storeRun(db, { runId: "ends", run: { ...open, ended: true, outcome: "completed" } }, at(2));
    await link();
    const completed = { runs_ended: 1, runs_known: 1, runs_completed: 1, tool_runs_completed: 1 };
    expect(await totals("call_day", PLACES)).toEqual({ ...standing, ...completed });
    expect(await totals("call_hour", PLACES)).toEqual({ ...standing, ...completed });
    expect(await totals("call_day", ["calls"])).toEqual({ calls: 2 });
  });

  test("of a run without times is apart from those with times", async () => {
    await storeRun(db, { runId: "span", run: repaired }, at(0));
    await storeRun(db, { runId: "import", run: repaired, timeSource: "import" }, at(0));
    await link();
    const timed = async (runId: string) => (await rowsOf(db, runId)).run_count.map((row) => row.timed);
    expect(await timed("span")).toEqual([true, true]);
    expect(await timed("import")).toEqual([false, false]);
    expect((await rowsOf(db, "import")).episode).toMatchObject([{ timed: false }]);
    expect((await storedRollups(db)).call_day).toHaveLength(4);
  });

  test("of a project knows nothing of another's", async () => {
    await sql`insert into project (project_id, name) values (2, 'other')`.execute(db);
    await storeRun(db, { runId: "one", run: repaired }, at(0));
    await link();
    const before = await versions();
    await db
      .insertInto("dirty_run")
      .values({ project_id: 2, run_id: "one", marked_at: at(0) })
      .execute();
    expect(await linkPending(db, { projectId: 2, clock: later })).toBe(1);
    expect(await versions()).toEqual(before);
    await sql`delete from project where project_id = 2`.execute(db);
  });
});

describe("an episode", () => {
  test("that has settled when its run is linked enters the rollups at once", async () => {
    await storeRun(db, { runId: "ended", run: repaired }, at(0));
    await linkSome(db, { projectId: PROJECT, clock });
    expect((await rowsOf(db)).episode).toMatchObject([{ rolled: true }]);
    expect(await totals("episode_day", ["episodes"])).toEqual({ episodes: 1 });
  });

  test("that settles later enters them by a step of its own, once, and not before its time", async () => {
    await storeRun(db, { runId: "open", run: open }, at(0));
    await linkSome(db, { projectId: PROJECT, clock });
    const [episode] = (await rowsOf(db)).episode;
    const settles = Number(episode!.settles_at);
    expect(episode).toMatchObject({ rolled: false });
    const settle = (time: number) => settleSome(db, { projectId: PROJECT, clock: () => new Date(time) });
    expect(await settle(settles - 1)).toBe(0);
    expect((await storedRollups(db)).episode_day).toEqual([]);
    expect(await settle(settles)).toBe(1);
    expect(await settle(settles)).toBe(0);
    expect((await rowsOf(db)).episode).toEqual([{ ...episode, rolled: true }]);
    expect(await storedRollups(db)).toEqual(await expectedRollups(db));
    expect(await totals("episode_hour", ["episodes"])).toEqual({ episodes: 1 });
  });

  test("that is pending again, because its run spoke again, leaves the rollups", async () => {
    await storeRun(db, { runId: "open", run: open }, at(0));
    await linkPending(db, { projectId: PROJECT, clock: later });
    expect(await totals("episode_day", ["episodes"])).toEqual({ episodes: 1 });
    await storeRun(
      db,
      { runId: "open", run: { ...open, calls: open.calls.slice(0, 1), lastReceivedAt: +later() } },
      later(),
    );
    await linkPending(db, { projectId: PROJECT, clock: later });
    expect((await rowsOf(db)).episode).toMatchObject([{ rolled: false }]);
    expect((await storedRollups(db)).episode_day).toEqual([]);
  });

  test("of a run that waits for a continuation does not settle by time", async () => {
    const [first] = open.calls;
    const results = [
      { state: "accepted", continuationId: "c", endedAt: NOW, turn: first!.turn, ordinal: first!.ordinal },
    ];
    await storeRun(db, { runId: "waits", run: { ...open, calls: [first!] }, results }, at(0));
    await linkPending(db, { projectId: PROJECT, clock: later });
    expect((await rowsOf(db)).episode).toMatchObject([{ rolled: false, settles_at: Number.POSITIVE_INFINITY }]);
  });

  test("is settled in portions, those that settled first before others, until none is left", async () => {
    for (const seconds of [30, 10, 20]) {
      const run = { ...open, lastReceivedAt: NOW + seconds * 1000, calls: open.calls.slice(0, 1) };
      await storeRun(db, { runId: `after ${seconds}`, run }, at(0));
    }
    await linkSome(db, { projectId: PROJECT, clock });
    const options = { projectId: PROJECT, clock: later, limit: 2 };
    expect(await settleSome(db, options)).toBe(2);
    const rolled = (await rowsOf(db)).episode.filter((row) => row.rolled).map((row) => row.run_id);
    expect(rolled).toEqual(["after 10", "after 20"]);
    expect(await settleSome(db, options)).toBe(1);
    expect(await settleSome(db, options)).toBe(0);
    expect(await storedRollups(db)).toEqual(await expectedRollups(db));
  });

  test("has its repair links counted by their evidence", async () => {
    for (const one of vectors) await storeRun(db, { runId: one.name, run: runOf(one, false) }, at(0));
    await link();
    const { episode, attempt } = await rowsOf(db);
    for (const evidence of ["explicit", "operation", "digest", "order"] as const) {
      const links = attempt.filter((row) => row.evidence === evidence).length;
      expect(links, evidence).toBeGreaterThan(0);
      expect(episode.reduce((sum, row) => sum + row[`linked_${evidence}`], 0)).toBe(links);
    }
  });
});
