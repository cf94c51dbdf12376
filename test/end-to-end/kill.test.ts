/** A process that dies in the middle of ingestion loses no acknowledged span and doubles none. */
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { FunnelAnswer } from "../../analytics/questions/answer.ts";
import { connect } from "../../database/connect.ts";
import { DEFAULT_PROJECT_ID } from "../../database/default-project.ts";
import { type Verification, verify } from "../../verification/verify.ts";
import { type ServeProcess, startServe } from "../support/serve-process.ts";
import { startPostgres, type TestServer } from "../support/server.ts";
import { runRequest, type SentSpan, send } from "../support/spans.ts";

const TURNS = 20;

interface Sending {
  readonly acknowledged: Set<string>;
  readonly bodies: string[];
  readonly all: Set<string>;
}

const key = ({ traceId, spanId }: SentSpan) => `${traceId}/${spanId}`;

/** Sends runs, four at a time, until `until` says so; remembers what was acknowledged. */
async function sendRuns(url: string, name: string, until: (acknowledged: number) => boolean): Promise<Sending> {
  const sending: Sending = { acknowledged: new Set(), bodies: [], all: new Set() };
  let failed = false;
  let run = 0;
  async function sender(): Promise<void> {
    while (!failed && !until(sending.acknowledged.size)) {
      const { spans, body } = runRequest(`${name}-${run++}`, TURNS, Date.now() - 3_600_000 * 5);
      for (const span of spans) sending.all.add(key(span));
      sending.bodies.push(body);
      if (await send(url, body)) for (const span of spans) sending.acknowledged.add(key(span));
      else failed = true;
    }
  }
  await Promise.all([sender(), sender(), sender(), sender()]);
  return sending;
}

async function storedSpans(where: Parameters<typeof connect>[0]): Promise<string[]> {
  const { db, close } = await connect(where);
  const rows = await db.selectFrom("observation").select(["trace_id", "span_id"]).execute();
  await close();
  return rows.map(({ trace_id, span_id }) => `${trace_id.toString("hex")}/${span_id.toString("hex")}`);
}

async function verified(where: Parameters<typeof connect>[0]): Promise<Verification> {
  const { db, close } = await connect(where);
  const range = { from: null, to: null };
  const verification = await verify(db, { projectId: DEFAULT_PROJECT_ID, range, clock: () => new Date() });
  await close();
  return verification;
}

/** After the restart: what was acknowledged is there once; everything sent again changes nothing but what was missing. */
async function recovers(service: ServeProcess, sending: Sending, where: Parameters<typeof connect>[0]): Promise<void> {
  for (const body of sending.bodies) expect(await send(service.url, body)).toBe(true);
  let answer: FunnelAnswer;
  do answer = (await (await fetch(`${service.url}/api/v1/funnel?last=7d`)).json()) as FunnelAnswer;
  while (answer.runs_waiting > 0);
  expect(answer.overall.calls.total).toBe(sending.all.size);
  expect(answer.overall.funnel.opened).toBe(sending.all.size / 2);
  expect(await service.stop("SIGTERM")).toBe(0);
  const stored = await storedSpans(where);
  expect(stored.length).toBe(new Set(stored).size);
  expect(new Set(stored)).toEqual(sending.all);
  const { differences, runs, runs_waiting } = await verified(where);
  expect(differences.listed, "episodes and rollups are what the observations say").toEqual([]);
  expect({ runs, runs_waiting }).toEqual({ runs: sending.bodies.length, runs_waiting: 0 });
}

describe("kill -9 of the service, on the embedded database", () => {
  let folder: string;
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test("no acknowledged span is lost, none is doubled, and no process runs on", async () => {
    folder = await mkdtemp(join(tmpdir(), "mulligan-kill-"));
    const dataDir = join(folder, "data");
    const service = await startServe({ MULLIGAN_DATA_DIR: dataDir });
    const killed = setTimeoutOn(service, 60);
    const sending = await sendRuns(service.url, "embedded", () => false);
    await killed;
    const pid = service.process.pid!;
    expect(existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[2] !== "Z").toBe(false);
    expect(sending.acknowledged.size).toBeGreaterThan(0);
    expect(sending.acknowledged.size).toBeLessThan(sending.all.size);

    const stored = await storedSpans({ dataDir });
    expect([...sending.acknowledged].filter((span) => !stored.includes(span))).toEqual([]);
    expect(stored.length).toBe(new Set(stored).size);
    await recovers(await startServe({ MULLIGAN_DATA_DIR: dataDir }), sending, { dataDir });
  }, 240_000);

  /** Kills once some requests were acknowledged, in the middle of the next. */
  async function setTimeoutOn(service: ServeProcess, requests: number): Promise<void> {
    for (;;) {
      const text = await (await fetch(`${service.url}/metrics`)).text();
      if (Number(/^mulligan_spans_stored_total (\d+)$/m.exec(text)?.[1] ?? 0) >= requests * TURNS) break;
    }
    await service.kill();
  }
});

const postgres: TestServer | null = await startPostgres();
if (postgres === null) console.warn("kill.test.ts: no PostgreSQL is installed here, so its two tests are skipped");

describe.skipIf(postgres === null)("kill -9 of a Postgres server of the test's own", () => {
  afterEach(() => postgres?.close());

  test("while it is away spans are answered 503 with Retry-After 1 or 2; after its return nothing acknowledged is missing", async () => {
    const databaseUrl = postgres!.url;
    const folder = await mkdtemp(join(tmpdir(), "mulligan-kill-"));
    const env = { DATABASE_URL: databaseUrl, MULLIGAN_DATA_DIR: join(folder, "data") };
    const service = await startServe(env);
    const sending = sendRuns(service.url, "server", (acknowledged) => acknowledged > 10_000);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await postgres!.kill();
    const sent = await sending;
    expect(sent.acknowledged.size).toBeLessThan(10_000);

    const { body } = runRequest("away", 1, Date.now());
    const away = await fetch(`${service.url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(away.status).toBe(503);
    expect(["1", "2"]).toContain(away.headers.get("retry-after"));
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503);

    await postgres!.start();
    while ((await fetch(`${service.url}/readyz`)).status !== 200)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const stored = await storedSpans({ databaseUrl });
    expect([...sent.acknowledged].filter((span) => !stored.includes(span))).toEqual([]);
    await service.kill();
    await recovers(await startServe(env), sent, { databaseUrl });
    await rm(folder, { recursive: true, force: true });
  }, 240_000);
});
