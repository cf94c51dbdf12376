import { SpanKind, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assemblePending } from "../../../collector/assembler.ts";
import { statusType } from "../../../collector/otlp/descriptor.ts";
import { createStore } from "../../../collector/store.ts";
import { connect } from "../../../database/connect.ts";
import { migrate } from "../../../database/migrate.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { startPostgres } from "../../support/server.ts";
import { protobufBody, toolSpan } from "../otlp-bodies.ts";
import { listen, type Service } from "./service.ts";

type Compression = NonNullable<NonNullable<ConstructorParameters<typeof JsonExporter>[0]>["compression"]>;

const clock = () => new Date();
const assemble = (db: TestDatabase["db"]) => assemblePending(db, { clock, projectId: 1 });

/** One run of two turns: a rejected call, then an accepted one. */
function emitRun(tracer: Tracer, runId: string): void {
  for (const turn of [0, 1]) {
    const rejected = turn === 0;
    const attributes = {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "m",
      "gen_ai.usage.input_tokens": 6_500 + turn,
    };
    const place = { "mulligan.run.id": runId, "mulligan.turn.index": turn };
    tracer.startSpan("chat m", { kind: SpanKind.CLIENT, attributes: { ...attributes, ...place } }).end();
    const span = tracer.startSpan("execute_tool search", {
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.id": `call_${turn}`,
        "mulligan.call.index": 0,
        ...place,
        ...(rejected && {
          "mulligan.call.failure_class": "schema",
          "mulligan.error.fingerprint": "invalid:start:date_format",
        }),
      },
    });
    if (rejected) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }
  tracer
    .startSpan("invoke_agent a", {
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "mulligan.run.id": runId,
        "mulligan.run.outcome": "completed",
      },
    })
    .end();
}

function provider(exporter: SpanExporter): TracerProvider {
  return new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] });
}

describe("spans from OpenTelemetry's own exporters", () => {
  let database: TestDatabase;
  let service: Service;
  beforeAll(async () => {
    database = await openTestDatabase();
    service = await listen({ store: createStore({ db: database.db, clock, projectId: 1 }) });
  });
  afterAll(async () => {
    await service.close();
    await database.close();
  });

  it.each([
    ["JSON", "none", JsonExporter],
    ["JSON", "gzip", JsonExporter],
    ["protobuf", "none", ProtobufExporter],
    ["protobuf", "gzip", ProtobufExporter],
  ] as const)("become runs, turns and calls over %s, compressed by %s", async (format, compression, Exporter) => {
    const runId = `${format}-${compression}`;
    const traces = provider(new Exporter({ url: `${service.url}/v1/traces`, compression: compression as Compression }));
    emitRun(traces.getTracer("test"), runId);
    await traces.shutdown();
    await assemble(database.db);
    const calls = await database.db
      .selectFrom("call")
      .select(["turn", "ordinal", "verdict", "failure_class", "fingerprint", "model", "call_id"])
      .where("run_id", "=", runId)
      .orderBy("turn")
      .execute();
    expect(calls).toEqual([
      {
        turn: 0,
        ordinal: 0,
        verdict: "rejected",
        failure_class: "schema",
        fingerprint: "invalid:start:date_format",
        model: "m",
        call_id: "call_0",
      },
      {
        turn: 1,
        ordinal: 0,
        verdict: "accepted",
        failure_class: null,
        fingerprint: null,
        model: "m",
        call_id: "call_1",
      },
    ]);
    const run = await database.db
      .selectFrom("run")
      .select(["outcome", "ended", "turns"])
      .where("run_id", "=", runId)
      .execute();
    expect(run).toEqual([{ outcome: "completed", ended: true, turns: 2 }]);
    const turns = await database.db
      .selectFrom("turn")
      .select("input_tokens")
      .where("run_id", "=", runId)
      .orderBy("turn")
      .execute();
    expect(turns).toEqual([{ input_tokens: "6500" }, { input_tokens: "6501" }]);
  });
});

const server = await startPostgres();
if (server === null) process.stderr.write("skipped: a database that goes away (no PostgreSQL found)\n");

describe.skipIf(server === null)("a database that goes away", () => {
  afterAll(() => server?.close());

  const own = () => server ?? expect.fail("skipped without a server");

  it("is answered by 503 with Retry-After, and the exporter delivers when it is back", async () => {
    const connection = await connect({ databaseUrl: own().url });
    await migrate(connection.db);
    const failures: (string | null)[] = [];
    const again = Promise.withResolvers<void>();
    const service = await listen({
      store: createStore({ db: connection.db, clock, projectId: 1 }),
      onFailure: ({ status, code }) => {
        failures.push(`${status} ${code}`);
        if (failures.length === 2) again.resolve(); // ours, then the exporter's
      },
    });
    try {
      await own().stop();
      const answer = await fetch(`${service.url}/v1/traces`, {
        method: "POST",
        body: protobufBody({ ...toolSpan("a"), startNs: BigInt(Date.now()) * 1_000_000n }),
        headers: { "content-type": "application/x-protobuf" },
      });
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, expect.stringMatching(/^[12]$/)]);
      expect(statusType.decode(new Uint8Array(await answer.arrayBuffer()))).toMatchObject({ code: 14 });
      const traces = provider(new JsonExporter({ url: `${service.url}/v1/traces` }));
      emitRun(traces.getTracer("test"), "kept");
      const delivered = traces.shutdown();
      await again.promise;
      await own().start();
      await delivered;
      expect(failures[0]).toMatch(/^503 /);
      await assemblePending(connection.db, { clock, projectId: 1 });
      const calls = await connection.db.selectFrom("call").select("turn").where("run_id", "=", "kept").execute();
      expect(calls).toHaveLength(2);
    } finally {
      await service.close();
      await connection.close();
    }
  });
});
