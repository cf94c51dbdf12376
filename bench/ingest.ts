/**
 * How fast do spans become committed rows? OTLP in protobuf over HTTP into `observation`, beside `psql \copy` of the same
 * rows into the same table: the same partitions and indexes, emptied in between.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Kysely, sql } from "kysely";
import type { Database } from "../database/schema.ts";
import { type BenchDatabase, withDatabase } from "./database.ts";
import { type Child, startChild } from "./ingest/child.ts";
import type { CollectorCommands } from "./ingest/children/collector.ts";
import type { LoadCommands } from "./ingest/children/load.ts";
import { backendsCpu, usedBetween } from "./ingest/cpu.ts";
import { openPsql, type Psql, psqlVersion } from "./ingest/psql.ts";
import { type IngestRounds, ingestResult } from "./ingest/result.ts";
import { timed } from "./measure.ts";
import type { Question, QuestionOptions, Result } from "./question.ts";

/** Requests that are under way at a time. */
const CONNECTIONS = 8;
const SPANS_PER_REQUEST = 512;
/** A run's own span and those of its turns come to as many again as its calls. */
const SPANS_PER_CALL = 2.2;

export const ingest: Question = {
  name: "ingest",
  title: "Spans a second, from OTLP to committed rows",
  summary: "Spans a second over HTTP into the database, beside psql \\copy of the same rows.",
  fullCalls: 50_000,
  fullRounds: 5,
  async ask(options) {
    const psql = psqlVersion();
    return withDatabase(options.databaseUrl, (database) => measureIngest(options, database, psql));
  },
};

/** What a round needs at hand. */
interface Bench {
  readonly db: Kysely<Database>;
  readonly load: Child<LoadCommands>;
  readonly collector: Child<CollectorCommands>;
  readonly psql: Psql;
  readonly url: string;
  readonly spans: number;
  /** The rows as `psql` copied them out. */
  readonly file: string;
}

async function measureIngest(options: QuestionOptions, database: BenchDatabase, psqlName: string): Promise<Result> {
  const { say, signal } = options;
  const folder = await mkdtemp(join(tmpdir(), "mulligan-bench-"));
  const load = startChild<LoadCommands>(new URL("./ingest/children/load.ts", import.meta.url));
  const collector = startChild<CollectorCommands>(new URL("./ingest/children/collector.ts", import.meta.url));
  const psql = openPsql(database.url);
  try {
    const requests = Math.max(CONNECTIONS, Math.ceil((options.calls * SPANS_PER_CALL) / SPANS_PER_REQUEST));
    say(`Making ${requests} export requests of ${SPANS_PER_REQUEST} spans ...`);
    const { spans, bytes } = await load.ask("make", { requests });
    const { url } = await collector.ask("listen", { databaseUrl: database.url });
    const bench: Bench = { db: database.db, load, collector, psql, url, spans, file: join(folder, "rows") };
    say("Warming up, and copying the rows out ...");
    await sendAll(bench, false);
    await psql.run(`\\copy (select * from observation) to '${bench.file}'`);
    await copyIn(bench);
    await sendAll(bench, true);

    const rounds: IngestRounds = { copy: [], off: [], on: [] };
    for (let round = 1; round <= options.rounds; round += 1) {
      signal.throwIfAborted();
      say(`Round ${round} of ${options.rounds} ...`);
      rounds.copy.push(await copyIn(bench));
      rounds.off.push(await sendAll(bench, false));
      rounds.on.push(await sendAll(bench, true));
    }
    await emptyTables(bench.db);
    return ingestResult(rounds, { spans, requests, bytes, connections: CONNECTIONS }, [database.version, psqlName]);
  } finally {
    await Promise.all([load.end(), collector.end(), psql.end()]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function copyIn(bench: Bench): Promise<IngestRounds["copy"][number]> {
  await emptyTables(bench.db);
  const before = await backendsCpu(bench.db);
  const { milliseconds } = await bench.psql.run(`\\copy observation from '${bench.file}'`);
  const after = await backendsCpu(bench.db);
  await mustHold(bench);
  return { milliseconds, databaseCpu: usedBetween(before, after) };
}

/** @param background - Whether what has arrived is assembled and linked meanwhile. */
async function sendAll(bench: Bench, background: boolean): Promise<IngestRounds["on"][number]> {
  const { db, load, collector, url } = bench;
  await emptyTables(db);
  if (background) await collector.ask("startBackground", undefined);
  const [nodeBefore, databaseBefore] = [await collector.ask("usage", undefined), await backendsCpu(db)];
  const { result, milliseconds: untilLinked } = await timed(async () => {
    const sent = await load.ask("send", { url, connections: CONNECTIONS });
    const [node, backends] = [await collector.ask("usage", undefined), await backendsCpu(db)];
    if (background) await collector.ask("drainBackground", undefined);
    return { ...sent, node, backends };
  });
  const { failures } = await collector.ask("usage", undefined);
  const complaints = [...nodeBefore.failures, ...result.node.failures, ...failures];
  if (complaints.length > 0) throw new Error(`The service failed while it was measured:\n${complaints.join("\n")}`);
  await mustHold(bench);
  return {
    milliseconds: result.milliseconds,
    untilLinked,
    nodeCpu: result.node.cpuMicroseconds - nodeBefore.cpuMicroseconds,
    databaseCpu: usedBetween(databaseBefore, result.backends),
  };
}

/** Every span is a row, or the figure is of something else. */
async function mustHold({ db, spans }: Bench): Promise<void> {
  const { rows } = await sql<{ rows: number }>`select count(*)::float8 as rows from observation`.execute(db);
  if (rows[0]?.rows !== spans)
    throw new Error(`${spans} rows were expected in observation, and ${rows[0]?.rows} are there`);
}

/** Everything that comes of spans; partitions and indexes stay. */
async function emptyTables(db: Kysely<Database>): Promise<void> {
  await sql`
    truncate
      observation, unassembled, run, turn, call, dirty_run, episode, attempt, cohort, run_count,
      call_day, call_hour, episode_day, episode_hour
  `.execute(db);
}
