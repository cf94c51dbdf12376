import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "../collector/observations.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { verify } from "../../verification/verify.ts";
import { ARRIVAL, clockAt, HOUR, store, trajectory, work } from "./filled.ts";
import { empty } from "./saved.ts";
let database: TestDatabase;
beforeAll(async () => { database = await openTestDatabase(); });
afterAll(() => database?.close());
const OK = { verdict: "accepted" } as const;
const WRONG = { failure_class: "schema", verdict: "rejected" } as const;
const show = async () => { const v = await verify(database.db, { projectId: 1, range: { from: null, to: null }, clock: clockAt(ARRIVAL) }); console.log(expect.getState().currentTestName, JSON.stringify(v.differences, null, 1), v.runs, v.runs_waiting); };
test("a closing that is taken back", async () => {
  const db = database.db; await empty(db);
  await store(db, trajectory("opens", 2 * HOUR, [{ ...OK, result_state: "started", continuation_id: "e" }, WRONG]).slice(0, -1));
  const closes = trajectory("closes", 3 * HOUR, [{ ...OK, result_state: "completed", continuation_id: "e" }], { outcome: "completed" });
  await store(db, closes); await work(db); await show();
  await store(db, [call({ span: "z", trace: "closes", start: 3 * HOUR + 200, end: 3 * HOUR + 900 }, { run_id: "closes", turn: 0, ordinal: 0, verdict: "accepted", result_state: "started", continuation_id: "e", has_result: true })]);
  await work(db); await show();
});
test("a decided episode of a clock ahead of ours, closing later", async () => {
  const db = database.db; await empty(db);
  const ahead = ARRIVAL - Date.UTC(2026, 0, 15, 12) + 5 * HOUR;
  await store(db, trajectory("opens", ahead, [WRONG, OK, { ...OK, result_state: "started", continuation_id: "e" }]).slice(0, -1));
  await work(db); await show();
  await store(db, trajectory("closes", ahead + HOUR, [{ ...OK, result_state: "completed", continuation_id: "e" }], { outcome: "completed" }));
  await work(db); await show();
});
