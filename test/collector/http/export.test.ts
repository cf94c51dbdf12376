import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requireToken } from "../../../access/tokens.ts";
import { assemblePending } from "../../../collector/assembler.ts";
import type { CollectorOptions, ReceiveReport } from "../../../collector/http/app.ts";
import { exportResponseType, statusType } from "../../../collector/otlp/descriptor.ts";
import { createStore, type Store } from "../../../collector/store.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { NOON } from "../observations.ts";
import { jsonBody, protobufBody, toolSpan } from "../otlp-bodies.ts";
import { assembledRows } from "../rows.ts";
import { listen, type Service } from "./service.ts";

const PROTOBUF = "application/x-protobuf";
const JSON_TYPE = "application/json";
const KiB = 1024;

let database: TestDatabase;
let store: Store;
let service: Service;
const reports: ReceiveReport[] = [];
let stored = 0;
const clock = () => new Date(NOON);

beforeAll(async () => {
  database = await openTestDatabase();
  store = createStore({ db: database.db, clock, projectId: 1 });
  service = await listen({
    store,
    limits: { maxRequestBytes: 256 * KiB, maxInflatedBytes: 1024 * KiB, maxElements: 20_000 },
    onReceived: (report) => reports.push(report),
    onStored: () => {
      stored += 1;
    },
  });
});
afterAll(async () => {
  await service.close();
  await database.close();
});

type Body = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
const post = (body: Body, headers: Record<string, string>, url = service.url) =>
  fetch(`${url}/v1/traces`, {
    method: "POST",
    body,
    headers,
    ...(body instanceof ReadableStream && { duplex: "half" }),
  } as RequestInit);
const bytes = async (response: Response) => new Uint8Array(await response.arrayBuffer());
const plain = (buffer: Buffer) => new Uint8Array(buffer);

async function status(response: Response): Promise<{ code: number; message: string }> {
  if (response.headers.get("content-type") === PROTOBUF) {
    return statusType.toObject(statusType.decode(await bytes(response))) as { code: number; message: string };
  }
  return (await response.json()) as { code: number; message: string };
}

/** A collector with other options for one test. */
async function withService<T>(options: Partial<CollectorOptions>, action: (url: string) => Promise<T>): Promise<T> {
  const other = await listen({ store, ...options });
  try {
    return await action(other.url);
  } finally {
    await other.close();
  }
}

describe("POST /v1/traces", () => {
  it("stores protobuf and JSON, plain and gzipped, and answers in the request's content type", async () => {
    const span = (name: string) => toolSpan(name, { "mulligan.run.id": "types" });
    const before = stored;
    const answers = [
      await post(protobufBody(span("p")), { "content-type": PROTOBUF }),
      await post(jsonBody(span("j")), { "content-type": `${JSON_TYPE}; charset=utf-8` }),
      await post(plain(gzipSync(protobufBody(span("q")))), { "content-type": PROTOBUF, "content-encoding": "gzip" }),
      await post(plain(gzipSync(jsonBody(span("k")))), { "content-type": JSON_TYPE, "content-encoding": "GZIP" }),
      await post(jsonBody(span("i")), { "content-type": JSON_TYPE, "content-encoding": "identity" }),
    ];
    expect(answers.map((answer) => [answer.status, answer.headers.get("content-type")])).toEqual([
      [200, PROTOBUF],
      [200, JSON_TYPE],
      [200, PROTOBUF],
      [200, JSON_TYPE],
      [200, JSON_TYPE],
    ]);
    expect(exportResponseType.toObject(exportResponseType.decode(await bytes(answers[0]!)))).toEqual({});
    expect(await answers[1]!.json()).toEqual({});
    expect(stored - before).toBe(5);
    const rows = await database.db.selectFrom("observation").select("run_id").where("run_id", "=", "types").execute();
    expect(rows).toHaveLength(5);
  });

  it("has committed when it answers 200", async () => {
    await post(jsonBody(toolSpan("z", { "mulligan.run.id": "committed" })), { "content-type": JSON_TYPE });
    const rows = await database.db
      .selectFrom("observation")
      .select("received_at")
      .where("run_id", "=", "committed")
      .execute();
    expect(rows).toEqual([{ received_at: clock() }]);
  });

  it("changes nothing when a request is sent again, in the other format too", async () => {
    const spans = [toolSpan("r1", { "mulligan.run.id": "again" }), toolSpan("r2", { "mulligan.run.id": "again" })];
    await post(protobufBody(...spans), { "content-type": PROTOBUF });
    await assemblePending(database.db, { clock, projectId: 1 });
    const before = await assembledRows(database.db, 1);
    const answer = await post(jsonBody(...spans), { "content-type": JSON_TYPE });
    expect([answer.status, await answer.json()]).toEqual([200, {}]);
    expect(reports.at(-1)).toEqual({ stored: 0, known: 2, ignored: 0, refused: 0 });
    await assemblePending(database.db, { clock, projectId: 1 });
    expect(await assembledRows(database.db, 1)).toEqual(before);
  });

  it("takes spans of no GenAI operation, stores none of them and counts them", async () => {
    const answer = await post(jsonBody({ span: "h", attributes: { "http.request.method": "GET" } }), {
      "content-type": JSON_TYPE,
    });
    expect([answer.status, await answer.json()]).toEqual([200, {}]);
    expect(reports.at(-1)).toEqual({ stored: 0, known: 0, ignored: 1, refused: 0 });
  });

  it("takes an empty request", async () => {
    expect((await post(new Uint8Array(), { "content-type": PROTOBUF })).status).toBe(200);
    expect((await post(jsonBody(), { "content-type": JSON_TYPE })).status).toBe(200);
  });

  it("answers a partial success with one message for each kind of fault and its count", async () => {
    const day = 86_400_000_000_000n;
    const spans = [
      toolSpan("s1"),
      toolSpan("s2", { "mulligan.turn.index": -1 }),
      toolSpan("s3", { "mulligan.turn.index": "x" }),
      { ...toolSpan("s4"), startNs: BigInt(NOON) * 1_000_000n - 500n * day },
      toolSpan("s5", { "mulligan.error.rung": 9 }),
    ];
    const answer = await post(protobufBody(...spans), { "content-type": PROTOBUF });
    expect(answer.status).toBe(200);
    const body = exportResponseType.toObject(exportResponseType.decode(await bytes(answer)), { longs: Number });
    expect(body.partialSuccess.rejectedSpans).toBe(3);
    expect(body.partialSuccess.errorMessage.split(" | ")).toEqual([
      "mulligan.turn.index: got -1; send an integer from 0 to 99999, for example 3 (2 spans)",
      "mulligan.error.rung: got 9; send an integer from 0 to 4, for example 3; the attribute was left out (1 span)",
      expect.stringMatching(/^start time 2024-.*Z lies before 2024-.*Z, .*MULLIGAN_RETENTION_DAYS.* \(1 span\)$/),
    ]);
    const warned = await post(jsonBody(toolSpan("s6", { "mulligan.error.rung": 9 })), { "content-type": JSON_TYPE });
    expect(await warned.json()).toMatchObject({
      partialSuccess: { rejectedSpans: "0", errorMessage: expect.stringContaining("rung") },
    });
  });

  it("refuses spans with ids that are none", async () => {
    const body = JSON.stringify(JSON.parse(new TextDecoder().decode(jsonBody(toolSpan("v"))))).replace(
      /"spanId":"[0-9a-f]+"/,
      '"spanId":"0000000000000000"',
    );
    const answer = await post(new TextEncoder().encode(body), { "content-type": JSON_TYPE });
    expect(await answer.json()).toMatchObject({
      partialSuccess: {
        rejectedSpans: "1",
        errorMessage: expect.stringContaining("span id: not valid; send 16 hex digits"),
      },
    });
  });

  it("answers 400 to bytes that are no request, with a google.rpc.Status in the request's content type", async () => {
    const broken = await post(protobufBody(toolSpan("a")).slice(0, -3), { "content-type": PROTOBUF });
    expect([broken.status, broken.headers.get("content-type")]).toEqual([400, PROTOBUF]);
    expect(await status(broken)).toMatchObject({
      code: 3,
      message: expect.stringContaining("no ExportTraceServiceRequest"),
    });
    const shape = await post(new TextEncoder().encode('{"resourceSpans":{}}'), { "content-type": JSON_TYPE });
    expect(shape.status).toBe(400);
    expect(await status(shape)).toEqual({
      code: 3,
      message: "resourceSpans must be an array; got a value of type object.",
    });
    const gzip = plain(gzipSync(jsonBody(toolSpan("a"))).subarray(0, 60));
    const cut = await post(gzip, { "content-type": JSON_TYPE, "content-encoding": "gzip" });
    expect([cut.status, (await status(cut)).message]).toEqual([
      400,
      expect.stringContaining("no complete gzip stream"),
    ]);
  });

  it("answers 413 to a body beyond the limit, announced or not", async () => {
    const large = plain(randomBytes(300 * KiB));
    const announced = await post(large, { "content-type": PROTOBUF });
    expect([announced.status, (await status(announced)).message]).toEqual([
      413,
      expect.stringContaining("MULLIGAN_MAX_REQUEST_BYTES"),
    ]);
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let i = 0; i < 10; i += 1) controller.enqueue(large.subarray(i * 30 * KiB, (i + 1) * 30 * KiB));
        controller.close();
      },
    });
    const streamed = await post(pieces, { "content-type": PROTOBUF });
    expect(streamed.status).toBe(413);
  });

  it("answers 413 to a body that inflates beyond the limit, without inflating it", async () => {
    const bomb = plain(gzipSync(Buffer.alloc(200 * 1024 * KiB)));
    expect(bomb.length).toBeLessThan(256 * KiB);
    const before = process.memoryUsage().arrayBuffers;
    const answer = await post(bomb, { "content-type": PROTOBUF, "content-encoding": "gzip" });
    expect([answer.status, (await status(answer)).message]).toEqual([
      413,
      expect.stringContaining("inflates to more than 1 MiB"),
    ]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * 1024 * KiB);
  });

  it("answers 413 to a small body of very many elements", async () => {
    const answer = await post(new TextEncoder().encode(`{"resourceSpans":[${"{},".repeat(30_000)}{}]}`), {
      "content-type": JSON_TYPE,
    });
    expect([answer.status, (await status(answer)).message]).toEqual([
      413,
      expect.stringContaining("more than 20000 spans"),
    ]);
  });

  it("answers 415 to other content types and encodings, and says which it takes", async () => {
    const type = await post(jsonBody(), { "content-type": "text/plain" });
    expect([type.status, type.headers.get("accept-post")]).toEqual([415, `${PROTOBUF}, ${JSON_TYPE}`]);
    const encoding = await post(jsonBody(), { "content-type": JSON_TYPE, "content-encoding": "br" });
    expect([encoding.status, encoding.headers.get("accept-encoding")]).toEqual([415, "gzip, identity"]);
    expect((await status(encoding)).message).toContain("OTEL_EXPORTER_OTLP_COMPRESSION=gzip");
  });

  it("answers 405 and 404 to what is sent another way, and says how", async () => {
    const get = await fetch(`${service.url}/v1/traces`);
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
    const metrics = await fetch(`${service.url}/v1/metrics`, { method: "POST", body: "{}" });
    expect([metrics.status, (await status(metrics)).message]).toEqual([
      404,
      expect.stringContaining("OTEL_METRICS_EXPORTER=none"),
    ]);
  });

  it("asks for the token before it reads the body", async () => {
    const token = "0123456789abcdef";
    await withService({ authorise: requireToken(token, "MULLIGAN_INGEST_TOKEN") }, async (url) => {
      const body = jsonBody(toolSpan("t1", { "mulligan.run.id": "token" }));
      expect((await post(new TextEncoder().encode("not even JSON"), { "content-type": JSON_TYPE }, url)).status).toBe(
        401,
      );
      expect((await post(body, { "content-type": JSON_TYPE, authorization: `Bearer ${token}` }, url)).status).toBe(200);
    });
  });

  it("answers 503 with a Retry-After of 1 or 2 beyond the requests in flight, and takes the next when one is done", async () => {
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const slow: Store = {
      insert: async (observations) => {
        entered.resolve();
        await gate.promise;
        return store.insert(observations);
      },
    };
    await withService({ store: slow, limits: { maxInFlight: 1 }, random: () => 0.9 }, async (url) => {
      const send = (name: string) =>
        post(jsonBody(toolSpan(name, { "mulligan.run.id": "busy" })), { "content-type": JSON_TYPE }, url);
      const first = send("b1");
      await entered.promise;
      const second = await send("b2");
      expect([second.status, second.headers.get("retry-after"), (await status(second)).code]).toEqual([503, "2", 14]);
      gate.resolve();
      expect((await first).status).toBe(200);
      expect((await send("b3")).status).toBe(200);
    });
  });

  it("answers 500 to a fault of its own without its text, and reports only the code", async () => {
    const failures: unknown[] = [];
    const broken: Store = {
      insert: async () => {
        throw Object.assign(new Error("secret detail"), { code: "22003" });
      },
    };
    await withService({ store: broken, onFailure: (failure) => failures.push(failure) }, async (url) => {
      const answer = await post(jsonBody(toolSpan("a")), { "content-type": JSON_TYPE }, url);
      expect(answer.status).toBe(500);
      expect((await status(answer)).message).not.toContain("secret");
      expect(failures).toEqual([{ status: 500, code: "22003" }]);
    });
  });

  it("stores no content, wherever in a span it stands", async () => {
    const secret = "sesame-4711";
    const span = toolSpan("x", {
      "mulligan.run.id": "secrets",
      "gen_ai.tool.call.arguments": `{"password":"${secret}"}`,
      "gen_ai.tool.call.result": secret,
      "gen_ai.input.messages": secret,
      "error.type": `Error ${secret}`,
      "exception.message": secret,
      "mulligan.error.fingerprint": `invalid ${secret}`,
      "mulligan.error.rule": `because of ${secret}`,
      "mulligan.run.outcome": secret,
    });
    const body = JSON.parse(new TextDecoder().decode(jsonBody({ ...span, name: secret, status: 2 })));
    const [sent] = body.resourceSpans[0].scopeSpans[0].spans;
    sent.status.message = secret;
    sent.events = [{ name: "exception", attributes: [{ key: "exception.message", value: { stringValue: secret } }] }];
    const answer = await post(new TextEncoder().encode(JSON.stringify(body)), { "content-type": JSON_TYPE });
    expect(JSON.stringify(await answer.json())).not.toContain(secret);
    await assemblePending(database.db, { clock, projectId: 1 });
    const rows = await database.db.selectFrom("observation").selectAll().where("run_id", "=", "secrets").execute();
    const everything = JSON.stringify([rows, await assembledRows(database.db, 1)], (_key, value) =>
      typeof value === "bigint" ? String(value) : value,
    );
    expect(rows).toHaveLength(1);
    expect(everything).not.toContain(secret);
  });
});
