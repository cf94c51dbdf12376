/** The rollups are the sums of what is linked, whatever happens to the runs, and in whatever order. */
import fc from "fast-check";
import type { Kysely } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CountedRun } from "../../../analytics/episodes/count.ts";
import { linkPending, linkSome } from "../../../analytics/episodes/linker.ts";
import { applySettings, relinkAll } from "../../../analytics/episodes/linker-settings.ts";
import { settleSome } from "../../../analytics/episodes/linker-settling.ts";
import type { LinkSettings } from "../../../analytics/episodes/types.ts";
import type { Database } from "../../../database/schema.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { expectedRollups, storedRollups } from "./found-rollups.ts";
import { randomRun, randomSettings } from "./random-run.ts";
import { emptyTables, PROJECT, removeRun, storeRun } from "./run-rows.ts";

let database: TestDatabase;
let db: Kysely<Database>;
beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(() => database.close());

const HOUR = 3_600_000;
const START = Date.parse("2026-11-04T00:00:00Z");

/** One thing that happens. Runs are few, so that most of what happens to one has happened to it before. */
type Step =
  | { readonly does: "store"; readonly runId: string; readonly run: CountedRun; readonly timed: boolean }
  | { readonly does: "remove"; readonly runId: string }
  | { readonly does: "link"; readonly limit: number }
  | { readonly does: "settle"; readonly limit: number; readonly hours: number }
  | { readonly does: "relink" }
  | { readonly does: "set"; readonly settings: LinkSettings };

const runId = fc.constantFrom("r1", "r2", "r3");
const limit = fc.integer({ min: 1, max: 3 });
const storing = fc.record({
  does: fc.constant("store" as const),
  runId,
  run: fc.tuple(randomRun, fc.constantFrom(0, 0, 1, 30)).map(([run, hours]) => later(run, hours * HOUR)),
  timed: fc.boolean(),
});
const linking = fc.record({ does: fc.constant("link" as const), limit });
/** After so many hours. */
const settling = fc.record({ does: fc.constant("settle" as const), limit, hours: fc.constantFrom(0, 3, 3, 40) });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: storing },
  { weight: 6, arbitrary: linking },
  { weight: 4, arbitrary: settling },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("remove" as const), runId }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("relink" as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("set" as const), settings: randomSettings }) },
);

function later(run: CountedRun, milliseconds: number): CountedRun {
  const calls = run.calls.map((call) => ({ ...call, startedAt: call.startedAt + milliseconds }));
  return { ...run, calls, lastReceivedAt: run.lastReceivedAt + milliseconds };
}

/** A run that waits does so for a continuation that its first call opened. */
function opened({ calls: [first], waiting }: CountedRun) {
  if (!waiting || first === undefined) return [];
  return [
    { state: "accepted", continuationId: "never", endedAt: first.startedAt, turn: first.turn, ordinal: first.ordinal },
  ];
}

async function take(step: Step, before: number): Promise<number> {
  const now = step.does === "settle" ? before + step.hours * HOUR : before;
  const clock = () => new Date(now);
  const options = { projectId: PROJECT, clock };
  switch (step.does) {
    case "store": {
      const timeSource = step.timed ? "span" : "import";
      await storeRun(db, { runId: step.runId, run: step.run, results: opened(step.run), timeSource }, clock());
      return now;
    }
    case "remove":
      await removeRun(db, step.runId, clock());
      return now;
    case "link":
      await linkSome(db, { ...options, limit: step.limit });
      return now;
    case "settle":
      await settleSome(db, { ...options, limit: step.limit });
      return now;
    case "relink":
      await relinkAll(db, options);
      return now;
    case "set":
      await applySettings(db, options, step.settings);
      return now;
  }
}

/** Episodes that have settled and that the rollups lack, or the other way round. */
async function wronglyRolled(now: number): Promise<unknown[]> {
  const episodes = await db.selectFrom("episode").select(["run_id", "settles_at", "rolled"]).execute();
  return episodes.filter(({ settles_at, rolled }) => rolled !== Number(settles_at) <= now);
}

test("rollups are the sums of run_count and of rolled episodes after every step, and at the end all that settled is rolled", async () => {
  const seen = { taken: 0, settledLater: 0, shrunk: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 20, size: "max" }), async (steps) => {
      await emptyTables(db);
      let now = START;
      let rows = 0;
      for (const one of steps) {
        const before = await db.selectFrom("episode").select("run_id").where("rolled", "=", true).execute();
        now = await take(one, now);
        const stored = await storedRollups(db);
        expect(stored, JSON.stringify(one)).toEqual(await expectedRollups(db));
        const after = await db.selectFrom("episode").select("run_id").where("rolled", "=", true).execute();
        seen.taken += Number(after.length < before.length);
        seen.settledLater += Number(one.does === "settle" && after.length > before.length);
        seen.shrunk += Number(stored.call_hour.length < rows);
        rows = stored.call_hour.length;
      }
      await linkPending(db, { projectId: PROJECT, clock: () => new Date(now), limit: 2 });
      expect(await storedRollups(db)).toEqual(await expectedRollups(db));
      expect(await wronglyRolled(now)).toEqual([]);
    }),
    { numRuns: 40 },
  );
  // The cases that this is about did occur.
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0);
}, 240_000);
