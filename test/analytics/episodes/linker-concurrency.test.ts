import type { Kysely } from "kysely";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { linkPending } from "../../../analytics/episodes/linker.ts";
import { lag } from "../../../analytics/episodes/linker-lag.ts";
import { applySettings } from "../../../analytics/episodes/linker-settings.ts";
import type { Database } from "../../../database/schema.ts";
import { openServerTestDatabase } from "../../support/database.ts";
import { findStored, rowsOf } from "./found-rows.ts";
import { PROJECT, storeRun } from "./run-rows.ts";
import { NOW, readVectors, resultsOf, runOf, type Vector } from "./vector-run.ts";
import { failuresOf } from "./vectors.ts";

const server = await openServerTestDatabase();
if (server === null) process.stderr.write("skipped: two linkers at once (no PostgreSQL found)\n");

const clock = () => new Date(NOW);
const vectors = readVectors("scenarios.json");

describe.skipIf(server === null)("two linkers at once", () => {
  const db = server?.db as Kysely<Database>;
  afterAll(() => server?.close());
  afterEach(async () => {
    for (const table of ["run", "turn", "call", "dirty_run", "episode", "attempt", "run_count"] as const) {
      await db.deleteFrom(table).execute();
    }
  });

  const link = () => linkPending(db, { projectId: PROJECT, limit: 3 });
  /** The whole run, or what had come of it before its last turn. */
  const store = (one: Vector, whole: boolean) => {
    const run = runOf(one, false);
    const calls = run.calls.filter(({ turn }) => whole || turn < one.model_turns - 1);
    return storeRun(db, { runId: one.name, run: { ...run, calls }, results: resultsOf(one) }, clock());
  };
  const expectAllToHold = async () => {
    expect(await lag(db, { projectId: PROJECT })).toMatchObject({ waiting_to_link: 0 });
    for (const one of vectors) expect(failuresOf(one, await findStored(db, one.name)), one.name).toEqual([]);
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
});
