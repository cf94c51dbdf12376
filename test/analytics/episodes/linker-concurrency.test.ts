import { type Kysely, sql, type Transaction } from "kysely";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { linkPending, linkSome } from "../../../analytics/episodes/linker.ts";
import { lag } from "../../../analytics/episodes/linker-lag.ts";
import { applySettings } from "../../../analytics/episodes/linker-settings.ts";
import { settleSome } from "../../../analytics/episodes/linker-settling.ts";
import type { Database } from "../../../database/schema.ts";
import { openServerTestDatabase } from "../../support/database.ts";
import { expectedRollups, storedRollups } from "./found-rollups.ts";
import { findStored, rowsOf } from "./found-rows.ts";
import { emptyTables, PROJECT, storeRun } from "./run-rows.ts";
import { NOW, readVectors, resultsOf, runOf, type Vector } from "./vector-run.ts";
import { failuresOf } from "./vectors.ts";

const server = await openServerTestDatabase();
if (server === null) process.stderr.write("skipped: two linkers at once (no PostgreSQL found)\n");

const clock = () => new Date(NOW);
const vectors = readVectors("scenarios.json");

describe.skipIf(server === null)("two linkers at once", () => {
  const db = server?.db as Kysely<Database>;
  afterAll(() => server?.close());
  afterEach(() => emptyTables(db));

  const link = () => linkPending(db, { projectId: PROJECT, clock, limit: 3 });
  /** The whole run, or what had come of it before its last turn. */
  const store = (one: Vector, whole: boolean) => {
    const run = runOf(one, false);
    const calls = run.calls.filter(({ turn }) => whole || turn < one.model_turns - 1);
    return storeRun(db, { runId: one.name, run: { ...run, calls }, results: resultsOf(one) }, clock());
  };
  const expectAllToHold = async () => {
    expect(await lag(db, { projectId: PROJECT })).toMatchObject({ waiting_to_link: 0 });
    for (const one of vectors) expect(failuresOf(one, await findStored(db, one.name)), one.name).toEqual([]);
    expect(await storedRollups(db)).toEqual(await expectedRollups(db));
  };

  test("each run is linked by one of them", async () => {
    for (const one of vectors) await store(one, true);
    const linked = await Promise.all([link(), link()]);
    expect(linked[0] + linked[1]).toBe(vectors.length);
    await expectAllToHold();
  });

  test("runs that change while they are being linked are linked once more, and nothing is lost or doubled", async () => {
    for (const one of vectors) await store(one, false);
    let writing = true;
    const linkMeanwhile = async () => {
      while (writing) await link();
    };
    const write = async () => {
      for (const one of vectors) await store(one, true);
      writing = false;
    };
    await Promise.all([linkMeanwhile(), linkMeanwhile(), write()]);
    await link();
    await expectAllToHold();
  });

  test("settings that change meanwhile hold for every run afterwards", async () => {
    for (const one of vectors) await store(one, true);
    await Promise.all([link(), applySettings(db, { projectId: PROJECT, clock }, { linkWindow: 3 }), link()]);
    await link();
    const meanwhile = await rowsOf(db);
    await applySettings(db, { projectId: PROJECT, clock }, { linkWindow: 2 });
    await link();
    await expectAllToHold();
    await applySettings(db, { projectId: PROJECT, clock }, { linkWindow: 3 });
    await link();
    expect(await rowsOf(db)).toEqual(meanwhile);
    await applySettings(db, { projectId: PROJECT, clock }, { linkWindow: 2 });
  });

  describe("whose runs speak of the same continuations", () => {
    const opener = readVectors("scenarios-more.json").find(({ name }) => name === "waiting-is-not-silent")!;
    const run = runOf(opener, false);
    const link = () => linkSome(db, { projectId: PROJECT, clock });
    /** A run with a rejected call that opens one continuation, and may close another one. */
    const storeOpener = (runId: string, opens: string, closes?: string) => {
      const poll = { ...run.calls[0]!, key: "1:2", turn: 1, ordinal: 2 };
      const results = resultsOf(opener).map((result) => ({ ...result, continuationId: opens }));
      const closing = { state: "completed", continuationId: closes!, endedAt: NOW + 1000, turn: 1, ordinal: 2 };
      const stored =
        closes === undefined
          ? { run, results }
          : { run: { ...run, calls: [...run.calls, poll] }, results: [...results, closing] };
      return storeRun(db, { runId, ...stored }, clock());
    };
    const waitingOf = async () =>
      Object.fromEntries((await rowsOf(db)).episode.map(({ run_id, waiting }) => [run_id, waiting]));

    /** While `work` runs, whoever links this run has read what the calls say, and can neither write nor commit. */
    async function heldUp(runId: string, work: () => Promise<void>): Promise<void> {
      const { rows } = await sql<{ one: object }>`select to_jsonb(episode) as one from episode limit 1`.execute(db);
      await emptyTables(db);
      await db
        .transaction()
        .execute(async (trx: Transaction<Database>) => {
          const row = JSON.stringify({ ...rows[0]!.one, run_id: runId });
          await sql`insert into episode select * from jsonb_populate_record(null::episode, ${row}::jsonb)`.execute(trx);
          await work();
          throw new Error("taken back");
        })
        .catch((error: Error) => expect(error.message).toBe("taken back"));
    }
    const untilWaiting = (many: number) =>
      vi.waitFor(async () => {
        const { rows } = await sql<{ many: number }>`
          -- one row in all
          select count(*)::int as many from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'
        `.execute(db);
        expect(rows[0]!.many).toBe(many);
      }, 10_000);

    test("a run is linked again where its continuation is closed while it is linked for the first time", async () => {
      await storeOpener("opens", "x");
      await link();
      const linking: Promise<number>[] = [];
      await heldUp("opens", async () => {
        await storeOpener("opens", "x");
        linking.push(link());
        await untilWaiting(1);
        await storeOpener("closes", "y", "x");
        linking.push(link());
        // The second waits for the first, which has not seen the closing call.
        await untilWaiting(2);
      });
      expect(await Promise.all(linking)).toEqual([1, 1]);
      expect(await waitingOf()).toEqual({ opens: true, closes: true });
      expect(await link()).toBe(1);
      expect(await waitingOf()).toEqual({ opens: false, closes: true });
      expect(await link()).toBe(0);
    });

    test("runs that close each other's end in the same, though their linkers wait for each other", async () => {
      await storeOpener("left", "x", "y");
      await link();
      const linking: Promise<number>[] = [];
      await heldUp("left", async () => {
        await storeOpener("left", "x", "y");
        linking.push(link());
        await untilWaiting(1);
        await storeOpener("right", "y", "x");
        linking.push(link());
        await untilWaiting(2);
      });
      // One of them is ended by the database, and begins anew.
      expect((await Promise.all(linking)).every((linked) => linked > 0)).toBe(true);
      while ((await link()) > 0);
      expect(await waitingOf()).toEqual({ left: false, right: false });
      expect(await storedRollups(db)).toEqual(await expectedRollups(db));
    });

    test("many such runs, in small portions, are all linked as what holds in the end", async () => {
      const names = Array.from({ length: 24 }, (_, index) => index);
      const linkAll = async () => {
        while ((await linkSome(db, { projectId: PROJECT, clock, limit: 2 })) > 0);
      };
      const storeAll = async () => {
        for (const index of names) await storeOpener(`run-${index}`, `c-${index}`, `c-${(index * 7 + 5) % 24}`);
      };
      await Promise.all([storeAll(), linkAll(), linkAll()]);
      await Promise.all([linkAll(), linkAll(), storeAll(), linkAll()]);
      await linkAll();
      const stored = await waitingOf();
      expect(Object.keys(stored)).toHaveLength(names.length);
      expect(Object.values(stored)).not.toContain(true);
      expect(await storedRollups(db)).toEqual(await expectedRollups(db));
    });
  });

  /** One run with as many repaired calls as models, of which each has cohorts of its own. */
  const MODELS = 20;
  const repaired = runOf(vectors.find(({ name }) => name === "repaired-next-turn")!, false);
  const wide = {
    ...repaired,
    calls: repaired.calls.flatMap((call) =>
      Array.from({ length: MODELS }, (_, ordinal) => ({
        ...call,
        ...{ key: `${call.turn}:${ordinal}`, ordinal, model: `model ${ordinal}`, callId: null, repairOf: null },
      })),
    ),
  };

  test("linkers and settlers at once count every episode once, and none waits for one that waits for it", async () => {
    // All runs share hours and many cohorts, and half of them are still open when they are linked.
    const ids = Array.from({ length: 60 }, (_, index) => `shared-${index}`);
    const storeAll = async (outcome: string | null) => {
      for (const [index, runId] of ids.entries()) {
        const run = index % 2 === 0 ? { ...wide, outcome } : { ...wide, ended: false, outcome: null };
        await storeRun(db, { runId, run }, clock());
      }
    };
    const later = () => new Date(NOW + 24 * 3_600_000);
    const settle = () => settleSome(db, { projectId: PROJECT, clock: later, limit: 2 });
    const settleAll = async () => {
      let settled = 0;
      for (let idle = 0; idle < 20; ) {
        const some = await settle();
        settled += some;
        idle = some === 0 ? idle + 1 : 0;
      }
      return settled;
    };
    const linkAll = async () => {
      // Not linkPending, which settles too.
      while ((await linkSome(db, { projectId: PROJECT, clock, limit: 3 })) > 0);
    };
    for (const outcome of [null, "completed", "failed"]) {
      await storeAll(outcome);
      await Promise.all([linkAll(), settleAll(), linkAll(), settleAll(), linkAll()]);
      while ((await settle()) > 0);
      const { episode } = await rowsOf(db);
      expect(episode.length).toBe(ids.length * MODELS);
      expect(episode.filter(({ rolled }) => !rolled)).toEqual([]);
      expect(await storedRollups(db)).toEqual(await expectedRollups(db));
    }
  });

  test("two settlers at once settle each episode once", async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `open-${index}`);
    for (const runId of ids) {
      await storeRun(db, { runId, run: { ...repaired, ended: false, outcome: null } }, clock());
    }
    while ((await linkSome(db, { projectId: PROJECT, clock })) > 0);
    const later = () => new Date(NOW + 24 * 3_600_000);
    const settle = async () => {
      let settled = 0;
      for (let idle = 0; idle < 10; ) {
        const some = await settleSome(db, { projectId: PROJECT, clock: later, limit: 3 });
        settled += some;
        idle = some === 0 ? idle + 1 : 0;
      }
      return settled;
    };
    const settled = await Promise.all([settle(), settle(), settle()]);
    expect(settled.reduce((sum, some) => sum + some)).toBe(ids.length);
    expect(await storedRollups(db)).toEqual(await expectedRollups(db));
  });
});
