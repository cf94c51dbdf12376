import { instrumentExecutor } from "@mulligan/instrumentation";
import * as semconv from "@mulligan/instrumentation/internal/semconv";
import { afterAll, expect, test } from "vitest";
import { attributes, KEY as key, recordSpans } from "./support/spans.ts";

const spans = recordSpans();
afterAll(() => spans.stop());

function fingerprints(schema: object, args: unknown, options: { formats?: boolean } = {}) {
  const execute = instrumentExecutor((_call: object): unknown => ({ isError: true }), {
    tools: { t: { schema } },
    key,
    ...options,
  });
  execute({ name: "t", arguments: JSON.stringify(args) });
  const said = attributes(spans.takeOne());
  return said[semconv.ATTR_CALL_VALIDATED] ? said[semconv.ATTR_ERROR_FINGERPRINTS] : "unchecked";
}

const property = (schema: object, more: object = {}) => ({ type: "object", properties: { p: schema }, ...more });

test.each<[string, object, unknown, string[]]>([
  ["type", property({ type: "integer" }), { p: "1" }, ["invalid:p:type"]],
  ["null", property({ type: "string" }), { p: null }, ["invalid:p:type"]],
  ["enum", property({ enum: ["a"] }), { p: "b" }, ["invalid:p:enum"]],
  ["const", property({ const: 1 }), { p: 2 }, ["invalid:p:enum"]],
  ["date", property({ format: "date" }), { p: "x" }, ["invalid:p:date_format"]],
  ["e-mail", property({ format: "email" }), { p: "x" }, ["invalid:p:format"]],
  ["pattern", property({ pattern: "^a" }), { p: "x" }, ["invalid:p:pattern"]],
  ["a pattern that is no Unicode expression", property({ pattern: "^[\\w\\-]+$" }), { p: " " }, ["invalid:p:pattern"]],
  ["range", property({ minimum: 1 }), { p: 0 }, ["invalid:p:range"]],
  ["step", property({ multipleOf: 2 }), { p: 1 }, ["invalid:p:multiple_of"]],
  ["string length", property({ maxLength: 1 }), { p: "ab" }, ["invalid:p:length"]],
  ["array length", property({ minItems: 1 }), { p: [] }, ["invalid:p:length"]],
  ["a tuple that is too long", property({ prefixItems: [{}], items: false }), { p: [1, 2] }, ["invalid:p:length"]],
  ["array element", property({ items: { type: "number" } }), { p: [1, "x"] }, ["invalid:p.[]:type"]],
  ["duplicates", property({ uniqueItems: true }), { p: [1, 1] }, ["invalid:p:duplicate"]],
  ["missing", property({}, { required: ["p"] }), {}, ["invalid:p:missing"]],
  ["a required name that is not declared", property({}, { required: ["secret"] }), {}, ["invalid:*:missing"]],
  ["extra properties", property({}, { additionalProperties: false }), { x: 1, y: 2 }, ["invalid:$:extra_property"]],
  ["unevaluated properties", property({}, { unevaluatedProperties: false }), { x: 1 }, ["invalid:$:extra_property"]],
  ["map value", property({ additionalProperties: { type: "number" } }), { p: { secret: "x" } }, ["invalid:p.*:type"]],
  ["map key", property({ propertyNames: { pattern: "^a" } }), { p: { secret: 1 } }, ["invalid:p.*:key"]],
  ["forbidden", property({ not: { type: "string" } }), { p: "x" }, ["invalid:p:forbidden"]],
  ["a property that may not be", property(false as never), { p: 1 }, ["invalid:p:forbidden"]],
  ["conditional", property({}, { dependentRequired: { p: ["q"] } }), { p: 1 }, ["invalid:$:conditional"]],
  [
    "union",
    property({
      anyOf: [{ type: "string" }, { type: "object", properties: { q: { type: "number" } }, required: ["q"] }],
    }),
    { p: { q: "secret" } },
    ["invalid:p:union"],
  ],
  [
    "a union of references, beside another error",
    {
      type: "object",
      properties: { p: { oneOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/b" }] }, n: { type: "number" } },
      $defs: {
        a: { type: "object", properties: { x: { $ref: "#/$defs/b" } }, required: ["x"] },
        b: { type: "string", minLength: 3 },
      },
    },
    { n: "x", p: { x: 1 } },
    ["invalid:n:type", "invalid:p:union"],
  ],
  [
    "a union at the root, beside what the root itself says",
    { type: "object", required: ["r"], properties: { r: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    {},
    ["invalid:r:missing", "invalid:$:union"],
  ],
  [
    "through references and combinations",
    {
      allOf: [{ $ref: "#/$defs/base" }],
      $defs: {
        base: { type: "object", properties: { list: { type: "array", items: { $ref: "#/$defs/item" } } } },
        item: { type: "object", properties: { age: { type: "integer" } } },
      },
    },
    { list: [{ age: 1 }, { age: "x" }] },
    ["invalid:list.[].age:type"],
  ],
  [
    "a schema that refers to itself",
    {
      $ref: "#/$defs/node",
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" }, value: { type: "number" } } } },
    },
    { next: { next: { value: "x" } } },
    ["invalid:next.next.value:type"],
  ],
  [
    "draft-07 tuples",
    { $schema: "http://json-schema.org/draft-07/schema#", ...property({ items: [{ type: "number" }] }) },
    { p: ["x"] },
    ["invalid:p.[]:type"],
  ],
  [
    "several paths, by priority and then by path",
    property(
      { minimum: 1 },
      { required: ["q", "p"], properties: { p: { minimum: 1 }, q: {}, r: { type: "string" }, a: { type: "string" } } },
    ),
    { p: 0, r: 1, a: 1 },
    ["invalid:q:missing", "invalid:a:type", "invalid:r:type", "invalid:p:range"],
  ],
  [
    "one path keeps its most important reason",
    property({ type: "string", minLength: 9, pattern: "^x", format: "date" }),
    { p: "y" },
    ["invalid:p:date_format"],
  ],
])("%s", (_title, schema, args, expected) => {
  expect(fingerprints(schema, args)).toEqual(expected);
});

test("at most eight fingerprints, each path at most 128 characters", () => {
  const names = Array.from({ length: 20 }, (_, at) => `${"n".repeat(140)}${at}`);
  const schema = { type: "object", required: names, properties: Object.fromEntries(names.map((name) => [name, {}])) };
  const found = fingerprints(schema, {}) as string[];
  expect(found.length).toBeLessThanOrEqual(8);
  for (const one of found) expect(one.split(":")[1]!.length).toBeLessThanOrEqual(128);
});

test("format is an annotation where the option says so, and the two do not share a compiled schema", () => {
  const schema = property({ type: "string", format: "date" });
  expect(fingerprints(schema, { p: "x" })).toEqual(["invalid:p:date_format"]);
  expect(fingerprints(schema, { p: "x" }, { formats: false })).toEqual(["execution:$:other"]);
  expect(fingerprints(schema, { p: "x" })).toEqual(["invalid:p:date_format"]);
});

test("schemas that share an $id do not get in each other's way", () => {
  const one = { $id: "same", ...property({ type: "number" }) };
  const other = { $id: "same", ...property({ type: "string" }) };
  expect(fingerprints(one, { p: "x" })).toEqual(["invalid:p:type"]);
  expect(fingerprints(other, { p: "x" })).toEqual(["execution:$:other"]);
});

test("a schema that cannot be used leaves its calls unchecked", () => {
  expect(fingerprints({ $ref: "#/$defs/none" }, {})).toBe("unchecked");
});
