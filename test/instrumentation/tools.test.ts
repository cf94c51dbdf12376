import { instrumentExecutor } from "@mulligan/instrumentation";
import * as semconv from "@mulligan/instrumentation/internal/semconv";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { key, right, tools, wrong } from "./support/booking.ts";
import { attributes, recordSpans } from "./support/spans.ts";

const spans = recordSpans();
beforeEach(() => void spans.take());
afterAll(() => spans.stop());

describe("tools in the shapes in which they are sent to the model", () => {
  const parameters = tools.book.schema;
  test.each([
    ["OpenAI Chat Completions", { type: "function", function: { name: "book", parameters, strict: true } }],
    ["OpenAI Responses", { type: "function", name: "book", parameters, strict: true }],
    ["Anthropic", { name: "book", input_schema: parameters }],
    ["MCP", { name: "book", inputSchema: parameters, annotations: { readOnlyHint: true, openWorldHint: false } }],
    [
      "ours",
      {
        name: "book",
        schema: parameters,
        mutates: true,
        reversible: true,
        external: true,
        source: "crm",
        schemaVersion: "v2",
      },
    ],
  ])("%s", (title, tool) => {
    const execute = instrumentExecutor((_call: typeof right) => 1, { tools: [tool], key });
    execute(wrong);
    const said = attributes(spans.takeOne());
    expect(said[semconv.ATTR_CALL_SCHEMA_VERDICT]).toBe("rejected");
    expect(said[semconv.ATTR_TOOL_RISK]).toBe({ MCP: "read", ours: "write_reversible" }[title] ?? "unstated");
    expect(said[semconv.ATTR_TOOL_EXTERNAL]).toBe({ MCP: false, ours: true }[title]);
    expect(said[semconv.ATTR_TOOL_STRICT]).toBe(title.startsWith("OpenAI") ? true : undefined);
    expect(said[semconv.ATTR_TOOL_SOURCE]).toBe(title === "ours" ? "crm" : undefined);
    expect(said[semconv.ATTR_TOOL_SCHEMA_VERSION]).toMatch(title === "ours" ? /^v2$/ : /^d1-[0-9a-f]{12}$/);
  });

  test("a version is that of the definition, not of its spelling", () => {
    const version = (schema: object) => {
      instrumentExecutor((_call: typeof right) => 1, { tools: { book: { schema } }, key })(right);
      return attributes(spans.takeOne())[semconv.ATTR_TOOL_SCHEMA_VERSION];
    };
    const base = {
      type: "object",
      properties: { title: { type: ["string", "null"], enum: ["a", "b"] }, n: {} },
      required: ["title", "n"],
    };
    const respelled = {
      $schema: "x",
      $id: "y",
      required: ["n", "title"],
      properties: { n: { examples: [1], title: "N" }, title: { enum: ["b", "a"], type: ["null", "string"] } },
      type: "object",
    };
    expect(version(respelled)).toBe(version(base));
    expect(version({ ...base, properties: { n: {} } })).not.toBe(version(base));
  });

  test("a tool that is added later is found", () => {
    const list: { name: string; parameters: object }[] = [];
    const record: Record<string, object> = {};
    for (const set of [list, record]) {
      const execute = instrumentExecutor((_call: typeof right) => 1, { tools: set, key });
      execute(right);
      list.push({ name: "book", parameters });
      record.book = { parameters };
      execute(right);
      expect(spans.take().map((span) => attributes(span)[semconv.ATTR_GEN_AI_TOOL_NAME])).toEqual([
        semconv.UNKNOWN_TOOL,
        "book",
      ]);
      list.length = 0;
      delete record.book;
    }
  });

  test.each([
    [
      "Chat Completions",
      { id: "call_1", type: "function", function: { name: "book", arguments: '{"start":"2026-01-15"}' } },
    ],
    ["Responses", { id: "fc_9", call_id: "call_1", name: "book", arguments: '{"start":"2026-01-15"}' }],
    ["Anthropic", { id: "call_1", type: "tool_use", name: "book", input: { start: "2026-01-15" } }],
  ])("a call in the shape of %s is read by default", (title, call) => {
    instrumentExecutor((_call: object) => 1, { tools, key })(call);
    const said = attributes(spans.takeOne());
    instrumentExecutor((_call: object) => 1, { tools, key })(right);
    const plain = attributes(spans.takeOne());
    expect(said[semconv.ATTR_GEN_AI_TOOL_CALL_ID]).toBe("call_1");
    expect(said[semconv.ATTR_CALL_SIGNATURE]).toBe(plain[semconv.ATTR_CALL_SIGNATURE]);
    expect(said[semconv.ATTR_CALL_PARSED_SOURCE]).toBe(title === "Anthropic" ? true : undefined);
  });
});
