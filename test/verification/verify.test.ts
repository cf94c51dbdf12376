/** Nothing differs, in whatever order spans came and whenever one asks; what waits is no difference. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { type Kysely, sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { linkSome } from "../../analytics/episodes/linker.ts";
import { applySettings, relinkAll } from "../../analytics/episodes/linker-settings.ts";
import { assemblePending } from "../../collector/assembler.ts";
import type { Database } from "../../database/schema.ts";
import { type Verification, verify } from "../../verification/verify.ts";
import { observations } from "../collector/arbitrary.ts";
import { call, NOON } from "../collector/observations.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import {
  ARRIVAL,
  clockAt,
  HOUR,
  importRuns,
  MINUTE,
  PROJECT,
  store,
  TO_MIDNIGHT,
  trajectory,
  variedRuns,
  work,
} from "./filled.ts";
import { contents, empty } from "./saved.ts";

let database: TestDatabase;
let db: Kysely<Database>;
beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(() => database?.close());
beforeEach(() => empty(db));

const EVERYTHING = { from: null, to: null };
const between = (from: number, to: number) => ({ from: new Date(NOON + from), to: new Date(NOON + to) });
const verified = (range: { from: Date | null; to: Date | null } = EVERYTHING, at = ARRIVAL): Promise<Verification> =>
  verify(db, { projectId: PROJECT, range, clock: clockAt(at) });
const NONE = { total: 0, listed: [] };
const rowsOf = ({ tables }: Verification) => Object.fromEntries(tables.map(({ table, rows }) => [table, rows]));
const settling = { at: ARRIVAL + 2 * HOUR };

describe("a filled database", () => {
  beforeEach(async () => {
    await store(db, variedRuns());
    await work(db);
  });

  test("has no difference, in whatever range one asks", async () => {
    for (const range of [
      EVERYTHING,
      between(0, TO_MIDNIGHT),
      between(TO_MIDNIGHT, TO_MIDNIGHT + 24 * HOUR),
      between(-12 * HOUR, TO_MIDNIGHT),
      between(MINUTE, 2 * MINUTE),
      between(30 * MINUTE, TO_MIDNIGHT + 90 * MINUTE),
      { from: null, to: new Date(NOON + HOUR) },
      { from: new Date(NOON + HOUR), to: null },
    ]) {
      expect((await verified(range)).differences, JSON.stringify(range)).toEqual(NONE);
    }
  });

  test("a range compares the runs that reach into it as wholes, and only whole hours and days of the rollups", async () => {
    const { run_id } = { run_id: "over-midnight" };
    const stored = await db.selectFrom("call").select("start_time").where("run_id", "=", run_id).execute();
    const minute = between(TO_MIDNIGHT, TO_MIDNIGHT + MINUTE);
    const answer = await verified(minute);
    // Its calls of the day before are among them.
    expect(stored.filter(({ start_time }) => start_time < minute.from).length).toBeGreaterThan(0);
    expect(rowsOf(answer)).toMatchObject({ call_day: 0, call_hour: 0, episode_day: 0, episode_hour: 0 });
    expect(rowsOf(answer).call).toBeGreaterThanOrEqual(stored.length);
    await db.updateTable("call").set({ corrected: true }).where("run_id", "=", run_id).where("turn", "=", 0).execute();
    expect((await verified(minute)).differences.listed).toMatchObject([
      { table: "call", key: { run_id }, column: "corrected", stored: true, recomputed: null },
    ]);
    const elsewhere = await verified(between(0, HOUR));
    expect(elsewhere.differences).toEqual(NONE);
  });

  test("a difference of a run that stands in two days is told once", async () => {
    await db.updateTable("run").set({ legs: 7 }).where("run_id", "=", "over-midnight").execute();
    expect((await verified()).differences.listed).toMatchObject([{ table: "run", column: "legs" }]);
  });

  test("a rollup's hour is compared where the range holds all of it", async () => {
    await sql`update call_hour set calls = calls + 1`.execute(db);
    const { tables } = await verified(between(30 * MINUTE, TO_MIDNIGHT + 90 * MINUTE));
    const hours = await db.selectFrom("call_hour").select("bucket").execute();
    const whole = hours.filter(({ bucket }) => +bucket >= NOON + HOUR && +bucket < NOON + TO_MIDNIGHT + HOUR);
    expect(tables).toContainEqual({ table: "call_hour", rows: whole.length, differences: whole.length });
  });

  test("nothing is written", async () => {
    const before = await contents(db);
    await verified();
    expect(await contents(db)).toEqual(before);
  });
});

describe("runs that wait", () => {
  test("are counted and are no difference: assembled and not linked, not assembled, linked anew by other settings", async () => {
    await store(db, variedRuns());
    expect(await verified()).toMatchObject({ differences: NONE, runs: 0 });
    await assemblePending(db, { projectId: PROJECT, clock: clockAt(ARRIVAL) });
    const unlinked = await verified();
    expect(unlinked).toMatchObject({ differences: NONE, runs: 0 });
    expect(unlinked.runs_waiting).toBeGreaterThan(10);
    await work(db);
    const linked = await verified();
    expect(linked).toMatchObject({ differences: NONE, runs_waiting: 0, runs: unlinked.runs_waiting });

    await relinkAll(db, { projectId: PROJECT, clock: clockAt(ARRIVAL) });
    await linkSome(db, { projectId: PROJECT, clock: clockAt(ARRIVAL), limit: 4 });
    expect(await verified()).toMatchObject({ differences: NONE, runs: 4, runs_waiting: linked.runs - 4 });
  });

  test("a late span of a linked run makes it wait; what the rollups hold of it is still compared", async () => {
    await store(db, variedRuns());
    await work(db);
    const late = { run_id: "repaired", turn: 4, ordinal: 0, verdict: "accepted" } as const;
    await store(db, [call({ span: "late", trace: "repaired", start: 2 * HOUR, end: 2 * HOUR + 5 }, late)]);
    const waiting = await verified();
    expect(waiting).toMatchObject({ differences: NONE, runs_waiting: 1 });
    await db.deleteFrom("run_count").where("run_id", "=", "repaired").execute();
    const tables = new Set((await verified()).differences.listed.map(({ table }) => table));
    expect([...tables].sort()).toEqual(["call_day", "call_hour"]);
  });

  test("a span that states no run makes every run of its trace wait", async () => {
    await store(db, variedRuns());
    await work(db);
    await store(db, [call({ span: "more", trace: "mixed", parent: "top", start: 50, end: 60 }, { tool: "find" })]);
    // The trace itself, for its far span, and the run that is stated in it.
    expect(await verified()).toMatchObject({ differences: NONE, runs_waiting: 2 });
  });

  test("a run that cannot be assembled is set aside, and counted apart", async () => {
    await store(db, [
      ...variedRuns(),
      call({ span: "bad", trace: "bad" }, { run_id: "bad", turn: 0, ordinal: 2 ** 40 }),
    ]);
    await work(db);
    expect(await verified()).toMatchObject({ differences: NONE, runs_waiting: 0, runs_set_aside: 1 });
  });
});

describe("settling", () => {
  test("an episode that has settled and is not rolled yet is counted, and is no difference", async () => {
    await store(db, variedRuns());
    await work(db);
    expect(await verified()).toMatchObject({ differences: NONE, episodes_to_roll: 0 });
    const later = await verified(EVERYTHING, settling.at);
    expect(later.differences).toEqual(NONE);
    expect(later.episodes_to_roll).toBeGreaterThan(0);
    await work(db, settling.at);
    expect(await verified(EVERYTHING, settling.at)).toMatchObject({ differences: NONE, episodes_to_roll: 0 });
  });

  test("an episode that is rolled before it has settled is a difference", async () => {
    await store(db, variedRuns());
    await work(db, settling.at);
    const { listed } = (await verified(EVERYTHING, ARRIVAL)).differences;
    expect(listed.length).toBeGreaterThan(0);
    for (const difference of listed) {
      expect(difference).toMatchObject({ table: "episode", column: "rolled", stored: true, recomputed: false });
    }
  });

  test("a run that waits for a continuation is compared with its closing call, unless that run waits to be linked", async () => {
    const [opens, closes] = ["opens", "closes"].map((runId) =>
      variedRuns().filter(({ record }) => record.run_id === runId),
    ) as [ReturnType<typeof variedRuns>, ReturnType<typeof variedRuns>];
    await store(db, opens);
    await work(db);
    expect(await verified()).toMatchObject({ differences: NONE, runs: 1 });
    await store(db, closes);
    await assemblePending(db, { projectId: PROJECT, clock: clockAt(ARRIVAL) });
    expect(await verified()).toMatchObject({ differences: NONE, runs: 0, runs_waiting: 2 });
    await work(db);
    expect(await verified()).toMatchObject({ differences: NONE, runs: 2, runs_waiting: 0 });
  });
});

describe("imports", () => {
  test("runs from files without times have no difference, and stand in cohorts without time", async () => {
    const folder = await mkdtemp(join(tmpdir(), "mulligan-verify-"));
    await importRuns(db, folder);
    await work(db);
    await rm(folder, { recursive: true });
    expect(await verified()).toMatchObject({ differences: NONE, runs: 2 });
    const cohorts = await db.selectFrom("cohort").select("timed").execute();
    expect(cohorts.every(({ timed }) => !timed)).toBe(true);
  });
});

describe("any observations, in any order and portions, with settings that change", () => {
  test("have no difference at any moment, in any range", async () => {
    const portions = fc.array(fc.nat(15), { maxLength: 3 });
    const range = fc.option(
      fc
        .tuple(fc.integer({ min: -2, max: 2 }), fc.integer({ min: 1, max: 3 }))
        .map(([from, minutes]) => between(from * MINUTE, (from + minutes) * MINUTE)),
      { nil: EVERYTHING },
    );
    await fc.assert(
      fc.asyncProperty(
        observations,
        portions,
        range,
        fc.integer({ min: 1, max: 3 }),
        async (all, cuts, asked, window) => {
          await empty(db);
          const bounds = [0, ...cuts.filter((cut) => cut < all.length).sort((a, b) => a - b), all.length];
          for (const [index, from] of bounds.slice(0, -1).entries()) {
            const some = all.slice(from, bounds[index + 1]);
            if (some.length > 0) await store(db, some);
            if (index % 2 === 0) await work(db);
            else await assemblePending(db, { projectId: PROJECT, clock: clockAt(ARRIVAL) });
            expect((await verified(asked)).differences).toEqual(NONE);
          }
          const settings = { linkWindow: window, eventualWindow: 1 };
          await applySettings(db, { projectId: PROJECT, clock: clockAt(ARRIVAL) }, settings);
          await work(db);
          expect(await verified(asked)).toMatchObject({ differences: NONE, runs_waiting: 0 });
          expect(await verified()).toMatchObject({ differences: NONE, runs_waiting: 0 });
          expect(await verified(asked, settling.at)).toMatchObject({ differences: NONE, runs_waiting: 0 });
          await work(db, settling.at);
          expect(await verified(EVERYTHING, settling.at)).toMatchObject({ differences: NONE, episodes_to_roll: 0 });
        },
      ),
      { numRuns: 60 },
    );
  }, 240_000);
});

test("differences beyond 1,000 are counted and not listed", async () => {
  const many = Array.from({ length: 300 }, (_, n) => trajectory(`many-${n}`, n * 1_000, [{ verdict: "accepted" }]));
  await store(db, many.flat());
  await work(db);
  await sql`update call set tool = tool || 'x', leg = leg + 1, risk = 'unstated', model = 'other'`.execute(db);
  const { differences } = await verified();
  expect(differences.total).toBe(1_200);
  expect(differences.listed).toHaveLength(1_000);
});

test("a signal ends the work with its reason", async () => {
  await store(db, variedRuns());
  await work(db);
  const stopped = verify(db, {
    ...{ projectId: PROJECT, range: EVERYTHING, clock: clockAt(ARRIVAL) },
    signal: AbortSignal.abort(new Error("stopped")),
  });
  await expect(stopped).rejects.toThrow("stopped");
});
