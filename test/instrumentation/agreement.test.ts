import { instrumentExecutor, recordRunOutcome, startRun, ToolInputError } from "@mulligan/instrumentation";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { readMulliganSpan } from "../../collector/emitters/mulligan.ts";
import type { Attributes } from "../../collector/otlp/span.ts";
import type { NeutralRecord } from "../../collector/records.ts";
import { type EndedSpan, KEY as key, recordSpans } from "./support/spans.ts";

const spans = recordSpans();
beforeEach(() => void spans.take());
afterAll(() => spans.stop());

/** What our collector makes of a span of our wrapper; fails where it refuses the span or leaves an attribute out. */
function read(span: EndedSpan): NeutralRecord {
  const nanoseconds = ([seconds, rest]: [number, number]) => BigInt(seconds) * 1_000_000_000n + BigInt(rest);
  const { traceId, spanId } = span.spanContext();
  const verdict = readMulliganSpan({
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId ?? "",
    name: span.name,
    kind: span.kind,
    startNs: nanoseconds(span.startTime),
    endNs: nanoseconds(span.endTime),
    attributes: span.attributes as Attributes,
    status: span.status.code,
    scopeName: span.instrumentationScope.name,
    resource: {},
  });
  if (!("record" in verdict)) throw new Error(`no record: ${JSON.stringify(verdict)}`);
  expect(verdict.warnings).toEqual([]);
  return verdict.record;
}

const records = () => spans.take().map(read);

/** Texts as people, frameworks and attackers write them. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.string({ unit: "grapheme", maxLength: 300 }),
  fc.constantFrom(
    "",
    " ",
    "v 1",
    "tenantTier",
    "tenant-tier",
    "start date",
    "a\u0000b",
    "\ud800",
    "a\u2028b",
    "a=b",
    "$",
  ),
  fc.constantFrom(`${"x".repeat(127)}😀`, "x".repeat(300), "__proto__", "constructor"),
);
const anything = fc.oneof(text, fc.integer(), fc.double(), fc.bigInt(), fc.constant(null), fc.boolean());
const number = fc.oneof(fc.integer({ min: -1, max: 200_000 }), fc.double(), fc.maxSafeInteger());

describe("our collector takes whatever our wrapper sends, without a complaint", () => {
  test("of runs and turns, whatever their options hold", () => {
    const options = fc.record({
      agent: anything,
      agentVersion: anything,
      conversationId: anything,
      runId: anything,
      parentRunId: anything,
      parentCallId: anything,
      leg: number,
      cohort: fc.dictionary(text, anything, { maxKeys: 24 }),
    });
    const turns = fc.record({
      model: anything,
      provider: anything,
      finishReason: anything,
      index: number,
      durationMs: number,
      toolsOffered: number,
      usage: fc.record({ inputTokens: number, cachedInputTokens: number, outputTokens: number }),
    });
    fc.assert(
      fc.property(options, turns, anything, (ofRun, ofTurn, word) => {
        const run = startRun({ ...(ofRun as object), key });
        run.turn(ofTurn as object);
        run.turn();
        run.end("exhausted", { budget: word as string });
        recordRunOutcome(ofRun.runId as string, "completed", { ...(ofRun as object), key });
        expect(records().map(({ type }) => type)).toEqual(expect.arrayContaining(["turn", "turn", "run"]));
      }),
    );
  });

  test("of calls, whatever tools, arguments, ids and errors are", () => {
    const input = fc.record({
      tool: text,
      names: fc.array(text, { maxLength: 4 }),
      given: fc.dictionary(text, fc.oneof(text, fc.dictionary(text, text)), { maxKeys: 6 }),
      call: fc.record({ id: anything, index: number, repairOf: anything, operationId: anything }),
      of: fc.record({ agent: anything, templateVersion: anything, conversationId: anything }),
      definition: fc.record({ schemaVersion: anything, source: anything }),
      said: fc.record({ category: anything, parameter: anything, rule: anything, retryability: anything }),
      failureClass: fc.constantFrom("schema", "tool_input", "denied", "execution", "unclassified", undefined),
      declared: fc.boolean(),
    });
    fc.assert(
      fc.property(input, ({ tool, names, given, call, of, definition, said, failureClass, declared }) => {
        const schema = {
          type: "object",
          properties: Object.fromEntries(names.map((name) => [name, { type: "object", properties: { [name]: {} } }])),
          required: names,
          additionalProperties: false,
        };
        const failing = instrumentExecutor(
          (_call: object): never => {
            throw failureClass === undefined ? new ToolInputError(said as object) : new Error("x");
          },
          {
            key,
            ...(of as object),
            tools: declared ? [{ name: tool, schema, ...(definition as object) }] : undefined,
            ...(failureClass && { classifyError: () => ({ ...(said as object), failureClass }) }),
          },
        );
        const turn = startRun({ key }).turn({ span: false });
        const proposal = { ...call, name: tool, arguments: JSON.stringify(given) };
        for (const name of [tool, `${tool}?`]) expect(() => turn.with(() => failing({ ...proposal, name }))).toThrow();
        const calls = records();
        expect(calls.map(({ type }) => type)).toEqual(["call", "call"]);
      }),
    );
  });
});

describe("what a developer wrote arrives", () => {
  const tools = {
    plan: {
      schemaVersion: "v 1",
      schema: {
        type: "object",
        properties: { "start date": { type: "string" }, "": {}, "a\u0000b": {} },
        required: ["start date"],
      },
    },
  };
  const fail = instrumentExecutor(
    (_call: object): never => {
      throw new Error("x");
    },
    { tools, key, templateVersion: "2 b" },
  );
  const take = (proposal: object) => {
    expect(() => fail(proposal)).toThrow("x");
    return records()[0];
  };

  test("arguments with a space in their names, and those without a showable one as a star", () => {
    const call = take({ name: "plan", arguments: '{"":1,"a\\u0000b":2,"start date":3}' });
    expect(call).toMatchObject({ fingerprint: "invalid:start date:type" });
    const digests = (call as { argument_digests?: readonly string[] }).argument_digests;
    expect(digests?.map((digest) => digest.split("=")[0])).toEqual(["*", "*", "start date"]);
  });

  test("versions with spaces, as identifiers", () => {
    const call = take({ name: "plan", arguments: "{}" });
    expect(call).toMatchObject({ schema_version: "v_1", template_version: "2_b" });
    startRun({ key, agentVersion: "v 1" }).end();
    expect(records()[0]).toMatchObject({ agent_version: "v_1" });
  });

  test("cohort keys in any usual spelling, sixteen at most", () => {
    const cohort = {
      tenantTier: "gold",
      "tenant-tier": "gold",
      tenant_tier: "gold",
      beta: true as never,
      seats: 7 as never,
    };
    startRun({ key, cohort }).end();
    expect(records()[0]).toMatchObject({ cohort: { ...cohort, beta: "true", seats: "7" } });
    startRun({ key, cohort: Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`k${at}`, "v"])) }).end();
    expect(Object.keys((records()[0] as { cohort?: object }).cohort ?? {})).toHaveLength(16);
  });

  test("ids that are numbers, as text", () => {
    const run = startRun({ key, runId: 42 as never });
    expect(() => run.turn({ span: false }).with(() => fail({ name: "plan", arguments: "{}", id: 0 }))).toThrow("x");
    run.end();
    expect(records()).toMatchObject([{ run_id: "42", call_id: "0" }, { run_id: "42" }]);
  });

  test("a denial's rule: exact as the rule, folded into the fingerprint's alphabet", () => {
    const denied = instrumentExecutor(
      (_call: object): never => {
        throw new Error("x");
      },
      { key, classifyError: () => ({ failureClass: "denied", rule: "Max-Refund.v2" }) },
    );
    expect(() => denied({ name: "plan", arguments: "{}" })).toThrow("x");
    expect(records()[0]).toMatchObject({ rule: "Max-Refund.v2", fingerprint: "denied:$:max_refund_v2" });
  });
});
