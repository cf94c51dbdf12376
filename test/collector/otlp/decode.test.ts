import fc from "fast-check";
import protobuf from "protobufjs/light.js";
import { describe, expect, it } from "vitest";
import { countElements } from "../../../collector/otlp/count-elements.ts";
import { decodeTraces } from "../../../collector/otlp/decode.ts";
import { parseExactJson } from "../../../collector/otlp/exact-json.ts";
import { OtlpDecodeError, type Span } from "../../../collector/otlp/span.ts";
import { spanId, traceId } from "../observations.ts";
import { jsonBody, type Plain, protobufBody, toolSpan } from "../otlp-bodies.ts";

const JSON_TYPE = "application/json";
const PROTOBUF = "application/x-protobuf";
const fromJson = (value: unknown): Span[] =>
  decodeTraces(new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value)), JSON_TYPE);
const oneSpan = (span: object) => ({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });

describe("decoding", () => {
  it("reads ids, exact times, values, scope, status and resource alike from protobuf and JSON", () => {
    const span = {
      ...toolSpan("a", { text: "ü", yes: true, whole: 3, half: 0.5, list: ["a", 1], big: 9_007_199_254_740_993n }),
      parent: "p",
      startNs: 1_767_225_600_123_456_789n,
      endNs: 1_767_225_600_987_654_321n,
      status: 2,
    };
    const [decoded] = decodeTraces(protobufBody(span), PROTOBUF);
    expect(decodeTraces(jsonBody(span), JSON_TYPE)).toEqual([decoded]);
    expect(decoded).toEqual({
      traceId: traceId("t"),
      spanId: spanId("a"),
      parentSpanId: spanId("p"),
      name: "span",
      kind: 1,
      startNs: 1_767_225_600_123_456_789n,
      endNs: 1_767_225_600_987_654_321n,
      attributes: expect.objectContaining({
        text: "ü",
        yes: true,
        whole: 3,
        half: 0.5,
        list: ["a", 1],
        big: 9_007_199_254_740_993n,
      }),
      status: 2,
      scopeName: "scope",
      resource: { "service.name": "agent", "deployment.environment.name": "test" },
      unreadable: [],
      unreadableResource: [],
    });
  });

  it("reads any spans alike from protobuf and JSON", () => {
    const integer = fc.oneof(
      fc.maxSafeInteger(),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
      fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }),
    );
    const text = fc.string({ unit: "binary", maxLength: 20 });
    const double = fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true });
    const scalar: fc.Arbitrary<Plain> = fc.oneof(text, integer, fc.boolean(), double);
    const value: fc.Arbitrary<Plain> = fc.oneof(scalar, fc.array(scalar, { maxLength: 4 }));
    const name = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 8 });
    const span = fc.record({
      span: fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 6 }),
      startNs: fc.bigInt({ min: 0n, max: 2n ** 63n }),
      attributes: fc.dictionary(name, value, { maxKeys: 5 }),
    });
    fc.assert(
      fc.property(fc.array(span, { maxLength: 4 }), (spans) => {
        expect(decodeTraces(protobufBody(...spans), PROTOBUF)).toEqual(decodeTraces(jsonBody(...spans), JSON_TYPE));
      }),
    );
  });

  it("takes times and ids that stand as bare numbers, exactly", () => {
    const body = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":340282366920938463463374607431768211455,"spanId":"00000000000000aB",
      "startTimeUnixNano":1767225600123456789,"endTimeUnixNano": 1767225600123456790,
      "attributes":[{"key":"k","value":{"intValue":12}},{"key":"t","value":{"stringValue":"at: 12345678901234567890"}}]}]}]}]}`;
    expect(fromJson(body)).toMatchObject([
      {
        traceId: "f".repeat(32),
        spanId: "00000000000000ab",
        startNs: 1_767_225_600_123_456_789n,
        endNs: 1_767_225_600_123_456_790n,
        attributes: { k: 12, t: "at: 12345678901234567890" },
      },
    ]);
  });

  it("skips fields that it does not know, events and status texts among them", () => {
    const known = protobufBody(toolSpan("a"));
    const unknown = protobuf.Writer.create()
      .uint32((99 << 3) | 2)
      .string("new")
      .uint32((7 << 3) | 0)
      .uint32(1)
      .finish();
    expect(decodeTraces(Buffer.concat([known, unknown]), PROTOBUF)).toEqual(decodeTraces(known, PROTOBUF));
    const spans = fromJson(
      oneSpan({ events: [{ name: "e", attributes: "secret" }], status: { message: "secret" }, new: {} }),
    );
    expect(JSON.stringify(spans, (_key, value) => (typeof value === "bigint" ? String(value) : value))).not.toContain(
      "secret",
    );
  });

  it("gives missing and null fields their defaults", () => {
    expect(fromJson({})).toEqual([]);
    expect(decodeTraces(new Uint8Array(), PROTOBUF)).toEqual([]);
    expect(fromJson(oneSpan({ name: null, attributes: null, status: null }))).toMatchObject([
      { traceId: "", parentSpanId: "", name: "", startNs: 0n, status: 0, attributes: {} },
    ]);
  });

  it.each([
    ["no JSON", "{", "no JSON in UTF-8"],
    ["a list", "[]", "the body must be an object; got an array"],
    ["snake_case", '{"resource_spans":[]}', "send resourceSpans"],
    ["a wrong list", '{"resourceSpans":{}}', "resourceSpans must be an array"],
    [
      "a wrong span",
      { resourceSpans: [{ scopeSpans: [{ spans: [7] }] }] },
      "resourceSpans[0].scopeSpans[0].spans[0] must be an object",
    ],
    ["a wrong time", oneSpan({ startTimeUnixNano: "soon" }), "startTimeUnixNano must be an integer"],
    [
      "a wrong value",
      oneSpan({ attributes: [{ key: "k", value: { intValue: 1.5 } }] }),
      "attributes[0].value.intValue must be",
    ],
    ["a deep nest", "[".repeat(500_000), "nested too deeply"],
  ])("refuses %s and says where", (_what, body, message) => {
    expect(() => fromJson(body)).toThrow(OtlpDecodeError);
    expect(() => fromJson(body)).toThrow(message);
  });

  it("never repeats what stood in the place of what it wanted", () => {
    expect(() => fromJson(oneSpan({ startTimeUnixNano: "sesame-open" }))).toThrow(/^(?!.*sesame)/);
  });

  it("refuses bytes that are no protobuf, and never anything but by OtlpDecodeError", () => {
    expect(() => decodeTraces(Buffer.from("{}"), PROTOBUF)).toThrow(OtlpDecodeError);
    const whole = protobufBody(toolSpan("a"));
    expect(() => decodeTraces(whole.subarray(0, whole.length - 3), PROTOBUF)).toThrow(OtlpDecodeError);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(JSON_TYPE, PROTOBUF), (bytes, type) => {
        try {
          decodeTraces(bytes, type);
        } catch (error) {
          expect(error).toBeInstanceOf(OtlpDecodeError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("leaves out attributes beyond the limits, and counts those of the contract by themselves", () => {
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`k${i}`, i]));
    const deep: Plain = [[[[[["x"]]]]]];
    for (const [body, type] of [
      [protobufBody(toolSpan("a", { long: "x".repeat(5000), deep, ...many })), PROTOBUF],
      [jsonBody(toolSpan("a", { long: "x".repeat(5000), deep, ...many })), JSON_TYPE],
    ] as const) {
      const attributes = decodeTraces(body, type)[0]?.attributes ?? {};
      const own = Object.keys(attributes).filter((name) => /^(mulligan|gen_ai)\./.test(name));
      expect(own).toHaveLength(3);
      expect(Object.keys(attributes)).toHaveLength(512 + own.length);
      expect(attributes).not.toHaveProperty("long");
      expect(attributes).not.toHaveProperty("deep");
    }
  });

  it("keeps an attribute named __proto__ to itself", () => {
    const attributes = decodeTraces(
      jsonBody(toolSpan("a", JSON.parse('{"__proto__": "x", "constructor": "y"}'))),
      JSON_TYPE,
    )[0]?.attributes;
    expect(attributes).toHaveProperty("constructor", "y");
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});

describe("exact JSON", () => {
  it("equals JSON.parse but for the precision of integers", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const number = (_key: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
        expect(JSON.parse(JSON.stringify(parseExactJson(text), number))).toEqual(JSON.parse(text));
      }),
    );
  });
  it("keeps every integer", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 130n), max: 2n ** 130n }),
        fc.constantFrom("", " ", "\n"),
        (value, space) => {
          const read = parseExactJson(`{"a":[${space}${value}${space}],"b":${value}}`) as {
            a: [number | bigint];
            b: number | bigint;
          };
          expect(BigInt(read.a[0])).toBe(value);
          expect(BigInt(read.b)).toBe(value);
        },
      ),
    );
  });
});

describe("counting before decoding", () => {
  it("counts two-byte elements of protobuf, as many as decoding would make", () => {
    // One resource, one scope, one span, and 50,000 attributes of two bytes.
    const attributes = Buffer.from([0x4a, 0x00].flatMap((byte) => [byte]))
      .toString("hex")
      .repeat(50_000);
    const wrap = (field: number, bytes: Uint8Array) =>
      protobuf.Writer.create()
        .uint32((field << 3) | 2)
        .bytes(bytes)
        .finish();
    const body = wrap(1, wrap(2, wrap(2, Buffer.from(attributes, "hex"))));
    expect(countElements(body, PROTOBUF, 1_000_000)).toBe(50_003);
    expect(countElements(body, PROTOBUF, 10_000)).toBeLessThanOrEqual(10_001);
  });
  it("counts the objects and lists of JSON", () => {
    expect(countElements(Buffer.from(`{"a":[${"{},".repeat(999)}{}]}`), JSON_TYPE, 1_000_000)).toBe(1_002);
  });
  it("leaves bytes that are no message to the decoder", () => {
    expect(() => countElements(Buffer.from("\xff\xff\xff"), PROTOBUF, 10)).not.toThrow();
  });
});
