/** With default settings nothing of what a model or a tenant wrote is in any span, column or log line. */
import {
  instrumentExecutor,
  type RunOutcome,
  recordRunOutcome,
  startRun,
  ToolInputError,
} from "@mulligan/instrumentation";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { type Kysely, sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../database/schema.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { startTelemetry, type Telemetry } from "../support/telemetry.ts";

/** Each planted in one place, so that a leak says where it came from. */
const SECRETS = {
  argumentValue: "sekrit-argument-value",
  undeclaredName: "sekrit-undeclared-name",
  mapKey: "sekrit-map-key",
  malformedText: "sekrit-malformed-text",
  unknownTool: "sekrit_unknown_tool",
  requiredName: "sekrit-required-name",
  errorText: "sekrit-error-text",
  errorName: "SekritErrorName",
  errorCause: "sekrit-error-cause",
  errorCode: "SEKRIT_CODE",
  toolInputMessage: "sekrit-tool-input-message",
  received: "sekrit-received",
  result: "sekrit-result",
  flaggedResult: "sekrit-flagged-result",
  runId: "sekrit-run-id",
  conversationId: "sekrit-conversation",
  outcome: "sekrit-outcome",
  laterOutcome: "sekrit-later-outcome",
  operationId: "sekrit-operation",
  signingKey: "sekrit-signing-key-of-the-project",
  spanContent: "sekrit-span-content",
  spanEvent: "sekrit-span-event",
  statusText: "sekrit-status-text",
  spanName: "sekrit-span-name",
  foreignErrorType: "sekrit-foreign-error-type",
  foreignOutcome: "sekrit-foreign-outcome",
  foreignFingerprint: "sekrit-foreign-fingerprint",
} as const;

const tools = [
  {
    name: "book_room",
    parameters: {
      type: "object",
      properties: {
        start: { type: "string", format: "date" },
        rates: { type: "object", additionalProperties: { type: "number" } },
      },
      required: ["start", SECRETS.requiredName],
      additionalProperties: false,
    },
  },
  { name: "cancel", parameters: { type: "object" } },
];

let service: TestService;
let telemetry: Telemetry;
const spans: string[] = [];
const warnings: string[] = [];

beforeAll(async () => {
  process.on("warning", (warning) => warnings.push(String(warning.stack)));
  service = await startTestService();
  telemetry = startTelemetry(service.url, (span) => spans.push(spanText(span)));
  await callEverything();
  await sendForeignSpans(service.url);
  await telemetry.flush();
  await service.settled();
});

afterAll(async () => {
  await telemetry.shutdown();
  await service.close();
});

function spanText({ name, attributes, events, status, links, resource }: ReadableSpan): string {
  return JSON.stringify({ name, attributes, events, status, links, resource: resource.attributes });
}

async function callEverything(): Promise<void> {
  type Call = { id: string; name: string; arguments: unknown; operationId?: string };
  async function callTool({ name, arguments: given }: Call): Promise<unknown> {
    const text = String(typeof given === "string" ? given : JSON.stringify(given));
    if (name === "cancel" && text.includes("refuse")) {
      throw new ToolInputError({
        parameter: SECRETS.undeclaredName,
        received: SECRETS.received,
        message: SECRETS.toolInputMessage,
      });
    }
    if (name === "cancel" && text.includes("crash")) {
      throw Object.assign(new Error(SECRETS.errorText, { cause: new Error(SECRETS.errorCause) }), {
        name: SECRETS.errorName,
        code: SECRETS.errorCode,
      });
    }
    if (name === "cancel" && text.includes("flag")) return { isError: true, content: SECRETS.flaggedResult };
    if (name !== "cancel") JSON.parse(text);
    return { content: SECRETS.result };
  }
  for (const mode of ["observe", "enforce"] as const) {
    const execute = instrumentExecutor(callTool, {
      tools,
      mode,
      key: SECRETS.signingKey,
      conversationId: `talk of ${SECRETS.conversationId}`,
    });
    const run = startRun({
      runId: `asked by ${SECRETS.runId}@example.org in ${mode}`,
      conversationId: `talk of ${SECRETS.conversationId}`,
      key: SECRETS.signingKey,
    });
    const calls: [name: string, given: unknown][] = [
      ["book_room", JSON.stringify({ start: SECRETS.argumentValue, [SECRETS.undeclaredName]: 1 })],
      ["book_room", { start: SECRETS.argumentValue, rates: { [SECRETS.mapKey]: SECRETS.argumentValue } }],
      ["book_room", `{"start": "${SECRETS.malformedText}`],
      [SECRETS.unknownTool, "{}"],
      ["cancel", '{"how":"refuse"}'],
      ["cancel", '{"how":"crash"}'],
      ["cancel", '{"how":"flag"}'],
      ["cancel", JSON.stringify({ reason: SECRETS.argumentValue })],
    ];
    for (const [name, given] of calls) {
      const call = { id: "call_1", name, arguments: given, operationId: SECRETS.operationId };
      await run
        .turn({ model: "example-model" })
        .with(() => execute(call))
        .catch(() => undefined);
    }
    run.end(SECRETS.outcome as RunOutcome);
    recordRunOutcome(run.id, SECRETS.laterOutcome as RunOutcome);
  }
}

/** Spans as a careless emitter would send them: content in attributes, events, status, names. */
async function sendForeignSpans(url: string): Promise<void> {
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const span = (spanId: string, attributes: object[]) => ({
    traceId: "0123456789abcdef0123456789abcdef",
    spanId,
    name: `execute_tool ${SECRETS.spanName}`,
    startTimeUnixNano: `${Date.now()}000000`,
    endTimeUnixNano: `${Date.now()}000000`,
    status: { code: 2, message: SECRETS.statusText },
    events: [{ name: "exception", attributes: [text("exception.message", SECRETS.spanEvent)] }],
    attributes: [
      text("gen_ai.operation.name", "execute_tool"),
      text("gen_ai.tool.name", "cancel"),
      text("gen_ai.tool.call.arguments", SECRETS.spanContent),
      text("gen_ai.tool.call.result", SECRETS.spanContent),
      text("exception.message", SECRETS.spanContent),
      ...attributes,
    ],
  });
  const spansSent = [
    span("00000000000000a1", [text("error.type", SECRETS.foreignErrorType)]),
    span("00000000000000a2", [text("mulligan.error.fingerprint", `${SECRETS.foreignFingerprint} with a value`)]),
    { ...span("00000000000000a3", [text("mulligan.run.outcome", SECRETS.foreignOutcome)]), name: "invoke_agent" },
  ];
  const response = await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: spansSent }] }] }),
  });
  expect(response.status).toBe(200);
}

/** Every row of every table as text, bytes also as latin1. */
async function dump(db: Kysely<Database>): Promise<string[]> {
  const tables = await sql<{ name: string }>`
    -- one row per table that is no partition's parent
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace
  `.execute(db);
  const dumped: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ row: string }>`
      -- one row per row
      select row_to_json(each)::text || encode(each::text::bytea, 'escape') as row from ${sql.table(name)} as each
    `.execute(db);
    dumped.push(...rows.map(({ row }) => row));
  }
  return dumped;
}

function leaks(texts: readonly string[]): string[] {
  return Object.entries(SECRETS)
    .filter(([, secret]) => texts.some((text) => text.toLowerCase().includes(secret.toLowerCase())))
    .map(([place]) => place);
}

test("the search itself finds what is there", () => {
  expect(leaks([`{"any":"${SECRETS.result}"}`])).toEqual(["result"]);
});

test("no span carries a planted secret, an exception event or a status text", () => {
  expect(spans.length).toBeGreaterThan(30);
  expect(leaks(spans)).toEqual([]);
  expect(spans.filter((span) => span.includes("exception"))).toEqual([]);
});

test("no column of the database holds a planted secret", async () => {
  const rows = await dump(service.db);
  expect(rows.length).toBeGreaterThan(60);
  expect(leaks(rows)).toEqual([]);
});

test("no log line and no warning holds a planted secret", () => {
  expect(leaks([...service.logged, ...warnings])).toEqual([]);
});

test("the calls are told apart all the same: classes, fingerprints and signatures are there", async () => {
  const calls = await service.db.selectFrom("call").select(["failure_class", "fingerprint", "signature"]).execute();
  const classes = new Set(calls.map(({ failure_class }) => failure_class));
  expect([...classes]).toEqual(
    expect.arrayContaining(["schema", "malformed", "unknown_tool", "tool_input", "execution", null]),
  );
  expect(
    calls.some(({ fingerprint }) => fingerprint === "invalid:*:missing" || fingerprint === "invalid:start:date_format"),
  ).toBe(true);
});
