/** Nothing differs of runs that open and close each other's continuations, whenever one asks and whatever is taken back. */
import fc from "fast-check";
import type { Kysely } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { linkSome } from "../../analytics/episodes/linker.ts";
import { assemblePending } from "../../collector/assembler.ts";
import type { Database } from "../../database/schema.ts";
import { verify } from "../../verification/verify.ts";
import { call, NOON } from "../collector/observations.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { ARRIVAL, clockAt, HOUR, PROJECT, store, trajectory, work } from "./filled.ts";
import { empty } from "./saved.ts";

let database: TestDatabase;
let db: Kysely<Database>;
beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(() => database?.close());
beforeEach(() => empty(db));

const clock = clockAt(ARRIVAL);
const verified = () => verify(db, { projectId: PROJECT, range: { from: null, to: null }, clock });
const NONE = { total: 0, listed: [] };

const OK = { verdict: "accepted" } as const;
const WRONG = { failure_class: "schema", verdict: "rejected" } as const;
const opening = { ...OK, result_state: "started", continuation_id: "e" } as const;
const closing = { ...OK, result_state: "completed", continuation_id: "e" } as const;
const unended = (...trajectoryOf: Parameters<typeof trajectory>) => trajectory(...trajectoryOf).slice(0, -1);
const episodeOf = (runId: string) =>
  db.selectFrom("episode").select(["waiting", "settles_at"]).where("run_id", "=", runId).executeTakeFirstOrThrow();

test("a closing that later turns out to be none makes the run that opened it wait again", async () => {
  await store(db, unended("opens", 2 * HOUR, [opening, WRONG]));
  await store(db, trajectory("closes", 3 * HOUR, [closing], { outcome: "completed" }));
  await work(db);
  expect(await episodeOf("opens")).toEqual({ waiting: false, settles_at: new Date(ARRIVAL + HOUR) });
  // The same call, of which a span that ended later says that the work still goes on.
  const place = { span: "later", trace: "closes", start: 3 * HOUR + 200, end: 3 * HOUR + 900 };
  await store(db, [call(place, { ...opening, run_id: "closes", turn: 0, ordinal: 0, has_result: true })]);
  await assemblePending(db, { projectId: PROJECT, clock });
  expect(await verified()).toMatchObject({ differences: NONE, runs: 0, runs_waiting: 2 });
  await work(db);
  expect(await verified()).toMatchObject({ differences: NONE, runs: 2, runs_waiting: 0 });
  expect(await episodeOf("opens")).toEqual({ waiting: true, settles_at: Number.POSITIVE_INFINITY });
});

test("a run whose episodes are decided, and settle by their age, settles by its silence once its continuation is closed", async () => {
  // Its clock is ahead of ours: it is silent for long enough before its call is old enough.
  const ahead = ARRIVAL - NOON + 5 * HOUR;
  await store(db, unended("opens", ahead, [WRONG, OK, opening]));
  await work(db);
  expect(await episodeOf("opens")).toEqual({ waiting: true, settles_at: new Date(ARRIVAL + 6 * HOUR + 200) });
  await store(db, trajectory("closes", ahead + HOUR, [closing], { outcome: "completed" }));
  await work(db);
  expect(await verified()).toMatchObject({ differences: NONE, runs: 2, runs_waiting: 0 });
  expect(await episodeOf("opens")).toEqual({ waiting: false, settles_at: new Date(ARRIVAL + HOUR) });
});

test("that runs open, close and take back, in any order and portions, leave no difference at any moment", async () => {
  const RUNS = ["run-0", "run-1", "run-2"] as const;
  /** One span of one of two calls of a run: what the call says may change, the continuation that it speaks of does not. */
  const told = fc.record({
    runId: fc.constantFrom(...RUNS),
    turn: fc.constantFrom(2, 3),
    length: fc.nat(20),
    state: fc.constantFrom("started", "completed", "failed"),
    linked: fc.boolean(),
  });
  const ends = fc.option(fc.constantFrom(...RUNS));
  await fc.assert(
    fc.asyncProperty(fc.array(told, { minLength: 1, maxLength: 8 }), ends, async (all, ended) => {
      await empty(db);
      await store(
        db,
        RUNS.slice(0, 2).flatMap((runId) => unended(runId, 0, [opening, WRONG])),
      );
      if (ended !== null) await store(db, trajectory(ended, 100, [], { outcome: "completed" }));
      await work(db);
      for (const [index, { runId, turn, length, state, linked }] of all.entries()) {
        const place = { span: `s${index}`, trace: runId, start: turn * 1_000, end: turn * 1_000 + length };
        const said = { ...OK, has_result: true, result_state: state, continuation_id: "e" };
        await store(db, [call(place, { ...said, run_id: runId, turn, ordinal: 0 })]);
        await assemblePending(db, { projectId: PROJECT, clock });
        expect((await verified()).differences).toEqual(NONE);
        if (!linked && index + 1 < all.length) continue;
        for (let links = 0; (await linkSome(db, { projectId: PROJECT, clock, limit: 1 })) > 0; links += 1) {
          expect((await verified()).differences).toEqual(NONE);
          // Each run by itself, and once more for each of the others.
          expect(links).toBeLessThan(9);
        }
        expect(await verified()).toMatchObject({ differences: NONE, runs_waiting: 0 });
      }
    }),
    { numRuns: 40 },
  );
}, 240_000);

test("a closing call that speaks of no continuation afterwards makes its opener wait again", async () => {
  await store(db, unended("opens", 2 * HOUR, [opening, WRONG]));
  await store(db, trajectory("closes", 3 * HOUR, [closing], { outcome: "completed" }));
  await work(db);
  const later = { ...OK, run_id: "closes", turn: 0, ordinal: 0, has_result: true };
  await store(db, [call({ span: "z", trace: "closes", start: 3 * HOUR + 200, end: 3 * HOUR + 900 }, later)]);
  await work(db);
  expect((await verified()).differences).toEqual(NONE);
});
