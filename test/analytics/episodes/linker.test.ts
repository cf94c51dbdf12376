import type { Kysely } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { linkPending } from "../../../analytics/episodes/linker.ts";
import { lag } from "../../../analytics/episodes/linker-lag.ts";
import { applySettings, relinkAll } from "../../../analytics/episodes/linker-settings.ts";
import { LinkSettingsError } from "../../../analytics/episodes/settings.ts";
import type { Database } from "../../../database/schema.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { findStored, rowsOf } from "./found-rows.ts";
import { emptyTables, PROJECT, removeRun, storeRun } from "./run-rows.ts";
import { NOW, readVectors, resultsOf, runOf, settingsOf, type Vector } from "./vector-run.ts";
import { failuresOf } from "./vectors.ts";

const at = (seconds: number) => new Date(NOW + seconds * 1000);
const clock = () => at(0);
const vectors = [...readVectors("scenarios.json"), ...readVectors("scenarios-more.json")];
const vector = (name: string) => vectors.find((one) => one.name === name)!;

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

/** A continuation is closed in whatever run: each vector has its own, as it has its own run. */
const ownResults = (one: Vector) =>
  resultsOf(one).map((result) => ({ ...result, continuationId: `${one.name} ${result.continuationId}` }));
const store = (one: Vector, runId = one.name) =>
  storeRun(db, { runId, run: runOf(one, false), results: ownResults(one) }, at(0));

describe("rows in, episodes out", () => {
  const settingsKeys = [...new Set(vectors.map((one) => JSON.stringify(settingsOf(one))))];

  test.each(settingsKeys)("every vector for the settings %s holds in the tables", async (key) => {
    const own = vectors.filter((one) => JSON.stringify(settingsOf(one)) === key);
    await applySettings(db, { projectId: PROJECT, clock }, JSON.parse(key));
    for (const one of own) await store(one);
    expect(await linkPending(db, { projectId: PROJECT, clock, limit: 7 })).toBe(own.length);
    for (const one of own) {
      expect(failuresOf(one, await findStored(db, one.name)), one.name).toEqual([]);
    }
  });

  test("calls that the model did not propose are no calls of a run, and close its continuations all the same", async () => {
    const one = vector("waiting-is-not-silent");
    const run = runOf(one, false);
    const poll = { ...run.calls[0]!, key: "1:1", turn: 1, ordinal: 1 };
    const results = [
      ...resultsOf(one),
      { state: "completed", continuationId: "c1", endedAt: NOW, turn: 1, ordinal: 1 },
    ];
    const stored = { runId: "polled", run: { ...run, calls: [...run.calls, poll] }, results };
    await storeRun(db, { ...stored, overrides: { "1:1": { origin: "worker" } } }, at(0));
    await linkPending(db, { projectId: PROJECT, clock });
    const { episodes, totals } = await findStored(db, "polled");
    expect(episodes).toMatchObject([{ opening: [1, 0], settled: true }]);
    expect(totals.first_attempts).toEqual({ accepted: 1, rejected: 1 });
  });

  test("an episode and a count have the tool and the cohort of their call, and the minute in UTC", async () => {
    const run = runOf(vector("repaired-after-midnight"), false);
    const columns = {
      ...{ tool: "book", tool_source: "server", schema_version: "v1", template_version: "t1", rung: 3 },
      ...{ retryability: "after_change", model: "one", agent_name: "agent", environment: "test", risk: "read" },
      ...{ external: true, fingerprint: "invalid:start:date_format" },
    };
    const cohort = JSON.stringify({
      keys: { tier: "gold", "a.b": "1" },
      flags: { new_texts: "on" },
      assignment: ["x"],
    });
    const flags = { tier: "gold", "a.b": "1" };
    const overrides = { "0:0": { ...columns, cohort }, "1:0": { schema_version: "v2" } };
    await storeRun(db, { runId: "cohorts", run, overrides }, at(0));
    await linkPending(db, { projectId: PROJECT, clock });
    const { episode, run_count } = await rowsOf(db, "cohorts");
    expect(episode).toMatchObject([
      { ...columns, flags, timed: true, failure_class: "schema", opened_at: new Date("2026-11-03T23:59:58Z") },
    ]);
    expect(run_count).toMatchObject([
      {
        ...{ ...columns, flags, timed: true, failure_class: "schema", minute: new Date("2026-11-03T23:59:00Z") },
        ...{ first_rejected: 1, calls: 1 },
      },
      {
        schema_version: "v2",
        flags: {},
        failure_class: null,
        minute: new Date("2026-11-04T00:00:00Z"),
        repair_accepted: 1,
      },
    ]);
  });

  test("a run of text alone has no rows, and waits no longer", async () => {
    const run = { ...runOf(vector("repaired-next-turn"), false), calls: [] };
    await storeRun(db, { runId: "text", run }, at(0));
    expect(await linkPending(db, { projectId: PROJECT, clock })).toBe(1);
    expect(await rowsOf(db, "text")).toEqual({ episode: [], attempt: [], run_count: [] });
    expect(await lag(db, { projectId: PROJECT })).toMatchObject({ waiting_to_link: 0 });
  });
});

describe("a continuation", () => {
  const one = vector("waiting-is-not-silent");
  const closing = (id: string, endedAt = NOW + 1000) => [
    { state: "completed", continuationId: `${one.name} ${id}`, endedAt, turn: 0, ordinal: 0 },
  ];
  const closer = runOf(vector("repaired-next-turn"), false);
  const settled = async (runId: string) => (await findStored(db, runId)).episodes.map((episode) => episode.settled);

  test("that a later result of another run closes is waited for no longer, whichever run was linked first", async () => {
    await store(one, "opener");
    await linkPending(db, { projectId: PROJECT, clock });
    expect(await settled("opener")).toEqual([false]);
    await storeRun(db, { runId: "closer", run: closer, results: closing("c1") }, at(1));
    expect(await linkPending(db, { projectId: PROJECT, clock })).toBe(2);
    expect(await settled("opener")).toEqual([true]);
    await storeRun(db, { runId: "later", run: runOf(one, false), results: ownResults(one) }, at(2));
    await linkPending(db, { projectId: PROJECT, clock });
    expect(await settled("later")).toEqual([true]);
  });

  test("is still waited for where another run closed another one, or closed it before it was opened", async () => {
    await store(one, "opener");
    await storeRun(db, { runId: "other", run: closer, results: closing("c2") }, at(1));
    await storeRun(db, { runId: "before", run: closer, results: closing("c1", NOW - 1e9) }, at(1));
    await linkPending(db, { projectId: PROJECT, clock });
    expect(await settled("opener")).toEqual([false]);
  });

  test("is waited for again where its closing is taken back", async () => {
    await store(one, "opener");
    await storeRun(db, { runId: "closer", run: closer, results: closing("c1") }, at(1));
    await linkPending(db, { projectId: PROJECT, clock });
    expect(await settled("opener")).toEqual([true]);
    const taken = closing("c1").map((result) => ({ ...result, state: "started" }));
    await storeRun(db, { runId: "closer", run: closer, results: taken }, at(2));
    expect(await linkPending(db, { projectId: PROJECT, clock })).toBe(2);
    expect(await settled("opener")).toEqual([false]);
  });

  test("that is closed has a run linked again only where that changes an episode: not one that has none, or has ended", async () => {
    const run = runOf(one, false);
    const accepted = run.calls.map((call) => ({ ...call, verdict: "accepted" as const, failureClass: null }));
    await storeRun(db, { runId: "none", run: { ...run, calls: accepted }, results: ownResults(one) }, at(0));
    const ended = { ...run, ended: true, outcome: "completed" };
    await storeRun(db, { runId: "ended", run: ended, results: ownResults(one) }, at(0));
    await linkPending(db, { projectId: PROJECT, clock });
    const { episode } = await rowsOf(db);
    expect(episode).toMatchObject([{ run_id: "ended", waiting: false }]);
    await storeRun(db, { runId: "closer", run: closer, results: closing("c1") }, at(1));
    expect(await linkPending(db, { projectId: PROJECT, clock })).toBe(1);
  });

  test("of two runs that close each other's and wait for a third is linked once, not for ever", async () => {
    const both = (runId: string, opens: string, closes: string) => {
      const run = runOf(one, false);
      const more = [2, 3].map((ordinal) => ({ ...run.calls[0]!, key: `1:${ordinal}`, turn: 1, ordinal }));
      const results = [
        ...resultsOf(one).map((result) => ({ ...result, continuationId: `${runId}-never` })),
        { state: "accepted", continuationId: opens, endedAt: NOW, turn: 1, ordinal: 2 },
        { state: "completed", continuationId: closes, endedAt: NOW + 1, turn: 1, ordinal: 3 },
      ];
      return storeRun(db, { runId, run: { ...run, calls: [...run.calls, ...more] }, results }, at(0));
    };
    await both("left", "x", "y");
    await both("right", "y", "x");
    expect(await linkPending(db, { projectId: PROJECT, clock, limit: 1 })).toBe(2);
    expect(await settled("left")).toEqual([false]);
  });
});

describe("linking again", () => {
  test("twice changes nothing", async () => {
    for (const one of vectors) await store(one);
    await linkPending(db, { projectId: PROJECT, clock });
    const before = await rowsOf(db);
    expect(await relinkAll(db, { projectId: PROJECT, clock })).toBe(vectors.length);
    expect(await linkPending(db, { projectId: PROJECT, clock })).toBe(vectors.length);
    expect(await rowsOf(db)).toEqual(before);
    expect(await linkPending(db, { projectId: PROJECT, clock })).toBe(0);
  });

  test("a late call re-links its run, and no other", async () => {
    const one = vector("repaired-next-turn");
    const run = runOf(one, false);
    await storeRun(db, { runId: "late", run: { ...run, calls: run.calls.slice(0, 1) } }, at(0));
    await store(one, "other");
    await linkPending(db, { projectId: PROJECT, clock });
    expect((await findStored(db, "late")).episodes).toMatchObject([{ repaired: false, next_action: "gave_up" }]);
    await storeRun(db, { runId: "late", run }, at(1));
    expect(await linkPending(db, { projectId: PROJECT, clock })).toBe(1);
    expect(failuresOf(one, await findStored(db, "late"))).toEqual([]);
    expect(failuresOf(one, await findStored(db, "other"))).toEqual([]);
  });

  test("a run that is no longer there loses its rows, and others keep theirs", async () => {
    await store(vector("repaired-next-turn"), "gone");
    await store(vector("repaired-next-turn"), "kept");
    await linkPending(db, { projectId: PROJECT, clock });
    await removeRun(db, "gone", at(1));
    expect(await linkPending(db, { projectId: PROJECT, clock })).toBe(1);
    expect(await rowsOf(db, "gone")).toEqual({ episode: [], attempt: [], run_count: [] });
    expect((await rowsOf(db, "kept")).attempt).toHaveLength(1);
  });

  test("another project's runs are left alone", async () => {
    await store(vector("repaired-next-turn"));
    await db
      .insertInto("dirty_run")
      .values({ project_id: 2, run_id: "foreign", marked_at: at(0) })
      .execute();
    expect(await linkPending(db, { projectId: PROJECT, clock })).toBe(1);
    expect(await db.selectFrom("dirty_run").select("run_id").execute()).toEqual([{ run_id: "foreign" }]);
    await expect(linkPending(db, { projectId: 2, clock })).rejects.toThrow("There is no project 2");
  });
});

describe("settings", () => {
  test("a changed window links every run anew; the same settings again mark nothing", async () => {
    const one = vector("window-edge-W-plus-1");
    await store(one);
    await linkPending(db, { projectId: PROJECT, clock });
    expect((await findStored(db, one.name)).episodes).toMatchObject([{ repaired: false }]);
    const after = await applySettings(db, { projectId: PROJECT, clock }, { linkWindow: 3 });
    expect(after).toEqual({ linkWindow: 3, eventualWindow: 2, settleAfterSeconds: 3600, turnBasis: "model" });
    expect(await linkPending(db, { projectId: PROJECT, clock })).toBe(1);
    expect((await findStored(db, one.name)).episodes).toMatchObject([{ repaired: true, late_repair: true }]);
    await applySettings(db, { projectId: PROJECT, clock }, { linkWindow: 3 });
    expect(await linkPending(db, { projectId: PROJECT, clock })).toBe(0);
  });

  test("E > W is refused with both named, also against the value that stays, and nothing changes", async () => {
    await store(vector("repaired-next-turn"));
    await linkPending(db, { projectId: PROJECT, clock });
    const refusal = applySettings(db, { projectId: PROJECT, clock }, { eventualWindow: 5 });
    await expect(refusal).rejects.toBeInstanceOf(LinkSettingsError);
    await expect(refusal).rejects.toThrow(/eventualWindow \(E\) is 5 and linkWindow \(W\) is 2/);
    expect(await lag(db, { projectId: PROJECT })).toMatchObject({ waiting_to_link: 0 });
  });
});

describe("lag", () => {
  test("says how many wait for what, and since when the oldest does", async () => {
    expect(await lag(db, { projectId: PROJECT })).toEqual({
      ...{ waiting_to_assemble: 0, waiting_to_link: 0, oldest_marked_at: null },
    });
    await store(vector("repaired-next-turn"), "one");
    await store(vector("repaired-next-turn"), "two");
    await db
      .insertInto("unassembled")
      .values({ project_id: PROJECT, unit: "r:one", marked_at: at(-60) })
      .execute();
    expect(await lag(db, { projectId: PROJECT })).toEqual({
      ...{ waiting_to_assemble: 1, waiting_to_link: 2, oldest_marked_at: at(-60) },
    });
    await linkPending(db, { projectId: PROJECT, clock });
    expect(await lag(db, { projectId: PROJECT })).toMatchObject({ waiting_to_link: 0, oldest_marked_at: at(-60) });
  });
});
