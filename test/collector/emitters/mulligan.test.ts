import * as semconv from "@mulligan/instrumentation/internal/semconv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readMulliganSpan } from "../../../collector/emitters/mulligan.ts";
import type { Attributes, Span } from "../../../collector/otlp/span.ts";

function span(attributes: Attributes, more: Partial<Span> = {}): Span {
  return {
    traceId: "a".repeat(32),
    spanId: "b".repeat(16),
    parentSpanId: "",
    name: "span",
    kind: 1,
    startNs: 1_000n,
    endNs: 2_000n,
    attributes,
    status: 0,
    scopeName: "",
    resource: {},
    ...more,
  };
}
const tool = (attributes: Attributes, more?: Partial<Span>) =>
  readMulliganSpan(
    span({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search", ...attributes }, more),
  );
const record = (verdict: ReturnType<typeof readMulliganSpan>) => ("record" in verdict ? verdict.record : verdict);
const remarks = (verdict: ReturnType<typeof readMulliganSpan>) =>
  "record" in verdict ? verdict.warnings.map((warning) => warning.message) : [];

describe("a span of ours", () => {
  it("of execute_tool is a call", () => {
    const verdict = tool(
      {
        "gen_ai.tool.call.id": "call_1",
        "mulligan.run.id": "r",
        "mulligan.turn.index": 3,
        "mulligan.call.index": 0,
        "mulligan.call.verdict": "rejected",
        "mulligan.call.failure_class": "schema",
        "mulligan.error.fingerprint": "invalid:items[].start:date_format",
        "mulligan.call.argument_digests": ["start=0011223344556677", "*=0011223344556677"],
        "mulligan.cohort.tenant_tier": "gold",
        "feature_flag.key": "prompt",
        "feature_flag.result.variant": "b",
      },
      { resource: { "service.name": "agent", "deployment.environment.name": "production" } },
    );
    expect(verdict).toEqual({
      warnings: [],
      record: {
        type: "call",
        tool: "search",
        call_id: "call_1",
        run_id: "r",
        turn: 3,
        ordinal: 0,
        verdict: "rejected",
        failure_class: "schema",
        fingerprint: "invalid:items[].start:date_format",
        argument_digests: ["start=0011223344556677", "*=0011223344556677"],
        cohort: { tenant_tier: "gold" },
        feature_flags: { prompt: "b" },
        service_name: "agent",
        environment: "production",
      },
    });
  });

  it("of chat is a turn, with the response's model over the requested one and older spellings of usage", () => {
    const verdict = readMulliganSpan(
      span({
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "alias",
        "gen_ai.response.model": "exact",
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.completion_tokens": 4,
        "gen_ai.usage.cache_creation.input_tokens": 2,
        "gen_ai.response.finish_reasons": ["tool_calls"],
      }),
    );
    expect(record(verdict)).toEqual({
      type: "turn",
      model: "exact",
      input_tokens: 10,
      output_tokens: 4,
      cache_write_tokens: 2,
      finish_reason: "tool_calls",
    });
  });

  it("of invoke_agent is a run; one without length that reports an outcome is a report", () => {
    const attributes = {
      "gen_ai.operation.name": "invoke_agent",
      "mulligan.run.id": "r",
      "mulligan.run.outcome": "escalated",
    };
    expect(record(readMulliganSpan(span(attributes)))).toEqual({ type: "run", run_id: "r", outcome: "escalated" });
    expect(record(readMulliganSpan(span(attributes, { endNs: 1_000n })))).toMatchObject({ outcome_only: true });
  });

  it("of no GenAI operation is ignored", () => {
    expect(readMulliganSpan(span({ "http.request.method": "GET" }))).toEqual({ ignored: true });
  });
});

describe("a tool span with the standard part only", () => {
  it("is a call without a failure where its status is no error", () => {
    expect(record(tool({}))).toEqual({ type: "call", tool: "search" });
  });
  it("takes the class of error.type where that is one of ours, with or without its category", () => {
    expect(record(tool({ "error.type": "timeout" }, { status: 2 }))).toMatchObject({ failure_class: "timeout" });
    expect(record(tool({ "error.type": "schema:date_format" }, { status: 2 }))).toMatchObject({
      failure_class: "schema",
    });
  });
  it("is unclassified with any other error, whose name is not kept", () => {
    const read = record(tool({ "error.type": "CustomerAcmeError" }, { status: 2 }));
    expect(read).toEqual({ type: "call", tool: "search", failure_class: "unclassified" });
  });
});

describe("a verdict and a failure class that contradict each other", () => {
  it.each([
    [
      { "mulligan.call.verdict": "accepted", "mulligan.call.failure_class": "schema" },
      "is accepted and mulligan.call.failure_class is schema",
    ],
    [{ "mulligan.call.verdict": "rejected" }, "is rejected and mulligan.call.failure_class is absent"],
    [
      { "mulligan.call.verdict": "rejected", "mulligan.call.failure_class": "timeout" },
      "is rejected and mulligan.call.failure_class is timeout",
    ],
  ])("are stored and remarked on: %j", (attributes, remark) => {
    expect(remarks(tool(attributes))).toEqual([expect.stringContaining(remark)]);
  });
});

describe("a bad attribute", () => {
  it.each([
    ["mulligan.turn.index", -1, "got -1; send an integer from 0 to 99999, for example 3"],
    ["mulligan.turn.index", "secret", "got a string of 6 characters; send an integer"],
    ["mulligan.turn.index", 1.5, "got 1.5; send an integer"],
    ["mulligan.call.index", 100_000, "got 100000; send an integer"],
    ["mulligan.call.verdict", "fine", "send one of accepted, rejected, unknown"],
    ["mulligan.call.failure_class", "oops", "send one of malformed, schema"],
    ["mulligan.call.origin", "robot", "send one of model, worker"],
    ["mulligan.run.id", "two words", "send an identifier of 1 to 256 characters without white space"],
    ["gen_ai.tool.name", "line\nbreak", "send a name of 1 to 256 characters on one line"],
    ["gen_ai.tool.name", "nul\0", "send a name of 1 to 256 characters on one line"],
  ])("that decides what or where a call is refuses the span: %s = %j", (name, value, message) => {
    const verdict = tool({ [name]: value });
    expect("refused" in verdict && verdict.refused.message).toMatch(new RegExp(`^${name}: .*${message}`));
  });

  it.each([
    ["mulligan.error.fingerprint", "not a fingerprint: 4711"],
    ["mulligan.error.fingerprint", "invalid:a\u0000b:type"],
    ["mulligan.error.fingerprint", "invalid:\ud800:type"],
    ["mulligan.error.fingerprint", "invalid:\u001b]0;x\u0007:type"],
    ["mulligan.error.fingerprint", "invalid:a\u2028b:type"],
    ["mulligan.error.fingerprint", `invalid:${"a".repeat(129)}:type`],
    ["mulligan.error.fingerprint", `${"i".repeat(33)}:a:type`],
    ["mulligan.error.fingerprint", `invalid:a:${"t".repeat(65)}`],
    ["mulligan.error.fingerprint", "invalid:a:type\n"],
    ["mulligan.error.fingerprints", ["invalid:start:date_format", "x"]],
    ["mulligan.error.fingerprints", ["invalid:start:date_format", "invalid:\udc00:type"]],
    ["mulligan.error.rung", 5],
    ["mulligan.error.retryability", "maybe"],
    ["mulligan.call.signature", "A".repeat(32)],
    ["mulligan.call.argument_digests", ["start=Berlin"]],
    ["mulligan.call.argument_digests", Array.from({ length: 33 }, () => "a=0011223344556677")],
    ["mulligan.error.rule", "a whole sentence about the customer"],
    ["mulligan.tool.schema_version", "x".repeat(257)],
    ["mulligan.result.state", "finished"],
    ["mulligan.cohort.tenant tier", "gold"],
    ["mulligan.cohort._tier", "gold"],
  ])("that describes is left out and said, and the call is kept: %s", (name, value) => {
    const verdict = tool({ [name]: value as Attributes[string] });
    expect(record(verdict)).toEqual({ type: "call", tool: "search" });
    expect(remarks(verdict)).toEqual([expect.stringMatching(/; send .*; the attribute was left out$/)]);
  });

  it("is none where a declared name has spaces, or is of another script", () => {
    for (const fingerprint of [
      "invalid:start date:missing",
      "invalid:début.開始:type",
      `invalid:${"😀".repeat(128)}:type`,
    ])
      expect(record(tool({ "mulligan.error.fingerprint": fingerprint }))).toMatchObject({ fingerprint });
  });

  it("is an outcome that is none: the run is kept, its outcome unknown", () => {
    const verdict = readMulliganSpan(
      span({ "gen_ai.operation.name": "invoke_agent", "mulligan.run.outcome": "ok: 4711" }),
    );
    expect(record(verdict)).toEqual({ type: "run" });
    expect(remarks(verdict)).toEqual([expect.stringContaining("completed, unsuccessful")]);
  });

  it("is a missing tool name", () => {
    const verdict = readMulliganSpan(span({ "gen_ai.operation.name": "execute_tool" }));
    expect("refused" in verdict && verdict.refused.message).toContain("gen_ai.tool.name is missing");
  });
});

describe("content", () => {
  it("of an unknown tool's name is not kept", () => {
    expect(record(tool({ "gen_ai.tool.name": "made_up", "error.type": "unknown_tool" }, { status: 2 }))).toMatchObject({
      tool: "_unknown",
    });
  });

  it("is nothing of a record, whatever stands in the attributes that hold it", () => {
    const contentAttributes = [
      "gen_ai.tool.call.arguments",
      "gen_ai.tool.call.result",
      "gen_ai.output.messages",
      "exception.message",
    ];
    fc.assert(
      fc.property(fc.uuid(), fc.constantFrom(...contentAttributes), (secret, attribute) => {
        const verdict = tool(
          { [attribute]: `{"password":"${secret}"}`, "error.type": `E-${secret}` },
          { status: 2, name: secret },
        );
        expect(JSON.stringify(verdict)).not.toContain(secret);
      }),
    );
  });

  it("is nothing of a complaint, whatever text stands in any attribute of the contract", () => {
    const names = Object.values(semconv).filter((value) => typeof value === "string" && value.includes("."));
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.uuid(), (name, secret) => {
        const verdict = tool({ [String(name)]: `text \n with ${secret}` });
        const said = "refused" in verdict ? verdict.refused.message : remarks(verdict).join();
        expect(said).not.toContain(secret);
      }),
    );
  });
});
