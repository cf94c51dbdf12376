import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createStore, type Store } from "../../collector/store.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { call, NOON } from "./observations.ts";

let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  database = await openTestDatabase();
  store = createStore({ db: database.db, clock: () => new Date(NOON), projectId: 1 });
});
afterAll(() => database.close());

const storedIn = async (run_id: string) =>
  database.db.selectFrom("observation").select("record").where("run_id", "=", run_id).orderBy("span_id").execute();
const waitsFor = (unit: string) =>
  database.db.selectFrom("unassembled").select("unit").where("unit", "like", `%${unit}%`).execute();

describe("a span with a value that the database cannot hold", () => {
  it("is refused by itself, naming the field, and every other span of the batch is stored", async () => {
    const batch = Array.from({ length: 100 }, (_, i) => call({ span: `a${i}` }, { run_id: "good", sequence: i }));
    batch[0] = call({ span: "a0" }, { run_id: "good", fingerprint: "invalid:a\u0000b:type" });
    batch[41] = call({ span: "a41" }, { run_id: "good", cohort: { tier: "\ud800" } });
    batch[99] = call({ span: "a99" }, { run_id: "bad\u0000run" });
    const { stored, known, refused } = await store.insert(batch);
    expect([stored, known]).toEqual([97, 0]);
    expect(refused.map(({ message }) => message.split(":", 1)[0]).sort()).toEqual(["cohort", "fingerprint", "run_id"]);
    for (const { message } of refused) expect(message).toMatch(/U\+0000 or half of a surrogate pair; send text/);
    expect(JSON.stringify(refused)).not.toContain("bad");
    expect(await storedIn("good")).toHaveLength(97);
    expect(await waitsFor("good")).toHaveLength(1);
  });

  it("leaves spans known that were sent before", async () => {
    const good = call({ span: "k1" }, { run_id: "known" });
    await store.insert([good]);
    const bad = call({ span: "k2" }, { run_id: "known", tool: "a\u0000" });
    expect(await store.insert([good, bad])).toMatchObject({
      stored: 0,
      known: 1,
      refused: [{ kind: expect.stringContaining("tool") }],
    });
    expect(await storedIn("known")).toHaveLength(1);
  });

  it("stores nothing and marks nothing where no span can be held", async () => {
    const bad = ["n1", "n2", "n3"].map((span) => call({ span }, { run_id: "nothing", tool: "\u0000" }));
    const { stored, known, refused } = await store.insert(bad);
    expect([stored, known, refused.length]).toEqual([0, 0, 3]);
    expect(await waitsFor("nothing")).toEqual([]);
  });

  it("fails a file as a whole: its account says what was stored", async () => {
    const file = [call({ span: "f1" }, { run_id: "file" }), call({ span: "f2" }, { run_id: "file", tool: "\u0000" })];
    await expect(store.insert(file, { allowAnyTime: true })).rejects.toMatchObject({
      code: expect.stringMatching(/^22/),
    });
    expect(await storedIn("file")).toEqual([]);
  });
});
