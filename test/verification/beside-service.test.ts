/** Spans of real instrumented executors, through the real exporter and service: nothing differs, while it works and after. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Verification, verify } from "../../verification/verify.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { startTelemetry, type Telemetry } from "../support/telemetry.ts";
import { AFTER, BEFORE, runWeek } from "../support/worked-example.ts";

/** Keeps every row of the example's table whole. */
const SCALE = 1 / 57;
const RUNS = 120;
const DAY = 24 * 60 * 60 * 1000;

let service: TestService;
let telemetry: Telemetry;
beforeAll(async () => {
  service = await startTestService();
  telemetry = startTelemetry(service.url);
});
afterAll(async () => {
  await telemetry?.shutdown();
  await service?.close();
});

const verified = (): Promise<Verification> =>
  verify(service.db, { projectId: 1, range: { from: null, to: null }, clock: () => new Date() });

test("at every moment while spans arrive, are assembled and linked, and when all is done", async () => {
  const moments: Verification[] = [];
  for (const [week, ago] of [
    [BEFORE, 15],
    [AFTER, 8],
  ] as const) {
    await runWeek({
      ...{ week, scale: SCALE, runs: RUNS, templateVersion: "v1", from: new Date(Date.now() - ago * DAY) },
      async afterRun(done) {
        if (done % 20 !== 0) return;
        await telemetry.flush();
        moments.push(await verified());
      },
    });
  }
  for (const { differences } of moments) expect(differences.listed).toEqual([]);
  await service.settled();
  const { differences, runs, runs_waiting, tables } = await verified();
  expect(differences).toEqual({ total: 0, listed: [] });
  expect({ runs, runs_waiting }).toEqual({ runs: 2 * RUNS, runs_waiting: 0 });
  for (const { table, rows } of tables) expect(rows, table).toBeGreaterThan(0);
  // The worker had not always finished, or there would have been nothing to see.
  expect(moments.some((moment) => moment.runs_waiting > 0)).toBe(true);
  expect(moments.some((moment) => moment.runs > 0)).toBe(true);
}, 120_000);
