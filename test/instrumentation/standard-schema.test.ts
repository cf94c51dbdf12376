import { instrumentExecutor, ToolInputError } from "@mulligan/instrumentation";
import * as semconv from "@mulligan/instrumentation/internal/semconv";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { key } from "./support/booking.ts";
import { attributes, recordSpans } from "./support/spans.ts";

const spans = recordSpans();
beforeEach(() => void spans.take());
afterAll(() => spans.stop());

describe("Standard Schema", () => {
  const schema = z.strictObject({
    start: z.iso.date(),
    kind: z.enum(["a", "b"]),
    guests: z
      .array(z.object({ age: z.number().int().min(0) }))
      .max(2)
      .optional(),
    labels: z.record(z.string(), z.number()).optional(),
    id: z.union([z.string(), z.number()]).optional(),
  });
  const fingerprints = (args: unknown, given: z.ZodType = schema) => {
    const execute = instrumentExecutor(
      (_call: object): void => {
        throw new Error("x");
      },
      { tools: { book: given }, key },
    );
    expect(() => execute({ name: "book", arguments: JSON.stringify(args) })).toThrow("x");
    return attributes(spans.takeOne())[semconv.ATTR_ERROR_FINGERPRINTS];
  };

  test.each<[unknown, string[]]>([
    [{ start: "January", kind: "a" }, ["invalid:start:date_format"]],
    [{ start: "2026-01-15" }, ["invalid:kind:missing"]],
    [{ start: null, kind: "c" }, ["invalid:start:type", "invalid:kind:enum"]],
    [{ start: "2026-01-15", kind: "a", guests: [{ age: 1 }, { age: "x" }] }, ["invalid:guests.[].age:type"]],
    [{ start: "2026-01-15", kind: "a", guests: [{ age: 1 }, {}] }, ["invalid:guests.[].age:missing"]],
    [{ start: "2026-01-15", kind: "a", guests: [{ age: -1 }] }, ["invalid:guests.[].age:range"]],
    [{ start: "2026-01-15", kind: "a", labels: { secret: "x" } }, ["invalid:labels.*:type"]],
    [{ start: "2026-01-15", kind: "a", id: {} }, ["invalid:id:union"]],
    [{ start: "2026-01-15", kind: "a", secret: 1 }, ["invalid:$:extra_property"]],
  ])("zod and its JSON Schema agree on %j", (args, expected) => {
    expect(fingerprints(args)).toEqual(expected);
    const json = { schema: z.toJSONSchema(schema) };
    const execute = instrumentExecutor(
      (_call: object): void => {
        throw new Error("x");
      },
      { tools: { book: json }, key },
    );
    expect(() => execute({ name: "book", arguments: JSON.stringify(args) })).toThrow("x");
    const ours = attributes(spans.takeOne())[semconv.ATTR_ERROR_FINGERPRINTS];
    expect(ours).toEqual(expected);
  });

  test("a validation that takes its time does not delay the host, and its verdict is on the span", async () => {
    let decide: (ok: boolean) => void = () => {};
    const slow = z.object({}).refine(
      () =>
        new Promise<boolean>((resolve) => {
          decide = resolve;
        }),
    );
    const execute = instrumentExecutor((_call: object) => "at once", { tools: { book: slow }, key });
    expect(execute({ name: "book", arguments: "{}" })).toBe("at once");
    expect(spans.take()).toHaveLength(0);
    decide(false);
    await expect
      .poll(() => spans.take().map((span) => attributes(span)[semconv.ATTR_CALL_SCHEMA_VERDICT]))
      .toEqual(["rejected"]);
  });

  test("in enforce mode it is awaited", async () => {
    const never = z.object({}).refine(async () => false);
    const execute = instrumentExecutor(async (_call: object) => "ran", {
      tools: { book: never },
      key,
      mode: "enforce",
    });
    await expect(execute({ name: "book", arguments: "{}" })).rejects.toBeInstanceOf(ToolInputError);
    const streaming = instrumentExecutor(
      async function* (_call: object) {
        yield "ran";
      },
      { tools: { book: z.object({}).refine(async () => true) }, key, mode: "enforce" },
    );
    expect(await streaming({ name: "book", arguments: "{}" }).next()).toEqual({ done: false, value: "ran" });
  });

  test("an unknown vendor is read through its JSON Schema form, or not at all", () => {
    const vendor = (jsonSchema?: object) => ({
      "~standard": {
        version: 1 as const,
        vendor: "somebody",
        validate: () => ({ issues: [{ message: "secret", path: ["secret"] }] }),
        ...(jsonSchema && { jsonSchema: { input: () => jsonSchema } }),
      },
    });
    const one = (tool: ReturnType<typeof vendor>) => {
      const execute = instrumentExecutor(
        (_call: object): void => {
          throw new Error("x");
        },
        { tools: { book: tool }, key },
      );
      expect(() => execute({ name: "book", arguments: '{"secret":1}' })).toThrow("x");
      return attributes(spans.takeOne())[semconv.ATTR_ERROR_FINGERPRINT];
    };
    expect(one(vendor())).toBe("invalid:*:other");
    expect(one(vendor({ type: "object", properties: { a: {} }, required: ["a"] }))).toBe("invalid:a:missing");
  });
});
