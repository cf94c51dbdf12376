import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ReceivedObservation } from "../../collector/assemble.ts";
import { assemblePending } from "../../collector/assembler.ts";
import { claimUnits } from "../../collector/claim-units.ts";
import { countSetAside, retrySetAside } from "../../collector/set-aside.ts";
import { createStore } from "../../collector/store.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { call, NOON, run, traceId } from "./observations.ts";
import { assembledRows } from "./rows.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const clock = () => new Date(NOON);
let projects = 500;

function newProject() {
  projects += 1;
  const projectId = projects;
  const { db } = database;
  const errors: unknown[] = [];
  const store = createStore({ db, clock, projectId });
  return {
    projectId,
    errors,
    send: (...spans: ReceivedObservation[]) => store.insert(spans),
    assemble: (options: { limit?: number; signal?: AbortSignal; clock?: () => Date } = {}) =>
      assemblePending(db, { clock, projectId, onSetAside: (error) => errors.push(error), ...options }),
    retry: () => retrySetAside(db, projectId, clock()),
    runs: async () => (await assembledRows(db, projectId)).run.map((row) => (row as { run_id: string }).run_id),
    count: () => countSetAside(db, projectId),
    waiting: async () => {
      const rows = await db.selectFrom("unassembled").select("unit").where("project_id", "=", projectId).execute();
      return rows.map((row) => row.unit).sort();
    },
    /** Takes away the observations that cannot be assembled. */
    mend: () =>
      db.deleteFrom("observation").where("project_id", "=", projectId).where("run_id", "like", "bad%").execute(),
  };
}

const good = (runId: string) => call({ span: runId, trace: runId }, { run_id: runId, turn: 0, ordinal: 0 });
/** Stored as it is said; no row of a call can hold the number. */
const bad = (runId: string) => call({ span: runId, trace: runId }, { run_id: runId, turn: 0, ordinal: 2 ** 40 });

describe("a run that cannot be assembled", () => {
  it("is set aside, and every other run is assembled", async () => {
    const project = newProject();
    await project.send(...[..."abcdefgh"].map(good), bad("bad1"), ...[..."ijklmnop"].map(good), bad("bad2"), good("z"));
    await project.assemble();
    expect(await project.runs()).toEqual([..."abcdefghijklmnopz"]);
    expect(await project.waiting()).toEqual(["R:bad1", "R:bad2"]);
    expect(await project.count()).toBe(2);
    expect(project.errors).toHaveLength(2);
  });

  it("is not tried again while nothing of it arrives, and is when something does", async () => {
    const project = newProject();
    await project.send(bad("bad"));
    await project.assemble();
    await project.send(good("a"));
    await project.assemble();
    expect(project.errors).toHaveLength(1);
    await project.send({ ...good("more"), record: { type: "run", run_id: "bad" } });
    await project.assemble();
    expect(project.errors).toHaveLength(2);
    expect(await project.waiting()).toEqual(["R:bad"]);
  });

  it("is no longer set aside once it could be assembled", async () => {
    const project = newProject();
    await project.send(bad("bad"));
    await project.assemble();
    await project.mend();
    await project.send({ ...good("more"), record: { type: "run", run_id: "bad" } });
    await project.assemble();
    expect(await project.runs()).toEqual(["bad"]);
    expect(await project.waiting()).toEqual([]);
    expect(await project.count()).toBe(0);
  });

  it("is tried again when a process starts", async () => {
    const project = newProject();
    await project.send(bad("bad1"), bad("bad2"));
    await project.assemble();
    await project.retry();
    expect(await project.waiting()).toEqual(["r:bad1", "r:bad2"]);
    await project.assemble();
    expect(project.errors).toHaveLength(4);
    await project.mend();
    await project.send(call({ span: "c" }, { run_id: "bad1" }), call({ span: "d" }, { run_id: "bad2" }));
    await project.retry();
    await project.assemble();
    expect(await project.runs()).toEqual(["bad1", "bad2"]);
    expect(await project.waiting()).toEqual([]);
  });

  it("is set aside where a trace is the run, and other traces are assembled", async () => {
    const project = newProject();
    await project.send(
      call({ span: "a", trace: "t" }, { turn: 0, ordinal: 2 ** 40 }),
      call({ span: "b", trace: "u" }, { turn: 0, ordinal: 0 }),
      run({ span: "c", trace: "v" }, { run_id: "r" }),
      call({ span: "d", trace: "v" }, { turn: 0, ordinal: 0 }),
    );
    await project.assemble();
    expect(await project.runs()).toEqual([traceId("u"), traceId("v"), "r"].sort());
    expect(await project.waiting()).toEqual([`T:${traceId("t")}`]);
  });
});

describe("one pass", () => {
  it("assembles fifty runs whose emitters count without measure", async () => {
    const project = newProject();
    await project.send(
      ...Array.from({ length: 50 }, (_, i) => call({ span: `${i}` }, { run_id: `p${i}`, turn: 9_999, ordinal: 0 })),
    );
    await project.assemble();
    expect(project.errors).toEqual([]);
    const rows = await assembledRows(database.db, project.projectId);
    expect(rows.run).toHaveLength(50);
    expect(rows.turn).toHaveLength(50);
  });

  it("takes no further unit where those it has hold enough observations, and one at least", async () => {
    const project = newProject();
    const of = (runId: string, count: number) =>
      Array.from({ length: count }, (_, i) => call({ span: `${runId}${i}` }, { run_id: runId, turn: i, ordinal: 0 }));
    await project.send(...of("a", 3), ...of("b", 3), ...of("c", 3));
    const claimed = (observations: number, units = 9) =>
      database.db.transaction().execute((trx) => claimUnits(trx, ["r:"], project.projectId, { units, observations }));
    await database.db.transaction().execute(async (trx) => {
      expect(await claimUnits(trx, ["r:"], project.projectId, { units: 9, observations: 1 })).toEqual(["r:a"]);
    });
    expect(await claimed(4, 1)).toEqual(["r:b"]);
    await project.send(...of("d", 3), ...of("e", 3));
    expect((await claimed(4)).sort()).toEqual(["r:c", "r:d"]);
  });

  it("is the last one where the work is to end", async () => {
    const project = newProject();
    await project.send(...[..."abcdefgh"].map(good));
    const ending = new AbortController();
    const endsIt = () => {
      ending.abort();
      return clock();
    };
    expect(await project.assemble({ limit: 3, signal: ending.signal, clock: endsIt })).toBe(3);
    expect(await project.waiting()).toHaveLength(5);
  });
});
