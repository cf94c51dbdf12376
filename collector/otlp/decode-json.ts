import { AttributeList, boundedText, exactInteger, type ReadValue, readList, Unreadable } from "./attribute-list.ts";
import { parseExactJson } from "./exact-json.ts";
import { ATTRIBUTE_LIMITS, OtlpDecodeError, type Span } from "./span.ts";

type JsonObject = Readonly<Record<string, unknown>>;

const SPAN_KINDS = ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"].map(
  (name) => `SPAN_KIND_${name}`,
);
const STATUS_CODES = ["STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"];

/**
 * OTLP's JSON: camelCase names, ids in hex, 64-bit numbers as text or as bare numbers, unknown fields ignored
 * (opentelemetry-proto, "JSON Protobuf Encoding").
 *
 * @throws {OtlpDecodeError} that names the place where the body has another shape.
 */
export function decodeJson(bytes: Uint8Array): Span[] {
  const body = object(parse(bytes), "the body");
  if ("resource_spans" in body) {
    throw new OtlpDecodeError("OTLP's JSON has camelCase names: send resourceSpans in the place of resource_spans.");
  }
  const spans: Span[] = [];
  for (const [r, resourceSpans] of objects(body.resourceSpans, "resourceSpans")) {
    const at = `resourceSpans[${r}]`;
    const resource = attributes(optional(resourceSpans.resource, `${at}.resource`).attributes, `${at}.resource`);
    for (const [s, scopeSpans] of objects(resourceSpans.scopeSpans, `${at}.scopeSpans`)) {
      const scopeAt = `${at}.scopeSpans[${s}]`;
      const scopeName = text(optional(scopeSpans.scope, `${scopeAt}.scope`).name, `${scopeAt}.scope.name`);
      for (const [i, span] of objects(scopeSpans.spans, `${scopeAt}.spans`)) {
        spans.push(readSpan(span, `${scopeAt}.spans[${i}]`, scopeName, resource));
      }
    }
  }
  return spans;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return parseExactJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new OtlpDecodeError("The body is no JSON in UTF-8, or is nested too deeply.", { cause });
  }
}

function readSpan(span: JsonObject, at: string, scopeName: string, resource: AttributeList): Span {
  const list = attributes(span.attributes, at);
  return {
    traceId: id(span.traceId, 32, `${at}.traceId`),
    spanId: id(span.spanId, 16, `${at}.spanId`),
    parentSpanId: id(span.parentSpanId, 16, `${at}.parentSpanId`),
    name: text(span.name, `${at}.name`),
    kind: enumerated(span.kind, SPAN_KINDS, `${at}.kind`),
    startNs: integer(span.startTimeUnixNano, `${at}.startTimeUnixNano`),
    endNs: integer(span.endTimeUnixNano, `${at}.endTimeUnixNano`),
    attributes: list.values,
    status: enumerated(optional(span.status, `${at}.status`).code, STATUS_CODES, `${at}.status.code`),
    scopeName,
    resource: resource.values,
    unreadable: list.unreadable,
    unreadableResource: resource.unreadable,
  };
}

function attributes(value: unknown, at: string): AttributeList {
  const list = new AttributeList();
  for (const [i, pair] of objects(value, `${at}.attributes`)) {
    const place = `${at}.attributes[${i}]`;
    list.add(text(pair.key, `${place}.key`), anyValue(optional(pair.value, `${place}.value`), `${place}.value`, 0));
  }
  return list;
}

function anyValue(value: JsonObject, at: string, depth: number): ReadValue {
  if (value.stringValue != null) return boundedText(text(value.stringValue, `${at}.stringValue`));
  if (value.boolValue != null) {
    if (typeof value.boolValue === "boolean") return value.boolValue;
    throw refuse(`${at}.boolValue`, "true or false", value.boolValue);
  }
  if (value.intValue != null) return exactInteger(integer(value.intValue, `${at}.intValue`));
  if (value.doubleValue != null) return double(value.doubleValue, `${at}.doubleValue`);
  if (value.bytesValue != null) return Unreadable.bytes;
  if (value.kvlistValue != null) return Unreadable.map;
  if (value.arrayValue == null) return undefined;
  if (depth >= ATTRIBUTE_LIMITS.depth) return Unreadable.depth;
  const values = objects(object(value.arrayValue, `${at}.arrayValue`).values, `${at}.arrayValue.values`);
  if (values.length > ATTRIBUTE_LIMITS.elements) return Unreadable.elements;
  return readList(values.map(([i, element]) => anyValue(element, `${at}.arrayValue.values[${i}]`, depth + 1)));
}

/** A missing or null field has its default, as in protobuf. */
function optional(value: unknown, at: string): JsonObject {
  return value == null ? {} : object(value, at);
}

function object(value: unknown, at: string): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw refuse(at, "an object", value);
}

function objects(value: unknown, at: string): [index: number, element: JsonObject][] {
  if (value == null) return [];
  if (!Array.isArray(value)) throw refuse(at, "an array", value);
  return value.map((element, index) => [index, object(element, `${at}[${index}]`)]);
}

function text(value: unknown, at: string): string {
  if (value == null) return "";
  if (typeof value === "string") return value;
  throw refuse(at, "a string", value);
}

/** Hex as OTLP has it; a bare number, as some emitters write ids, is the number itself. */
function id(value: unknown, digits: number, at: string): string {
  if (typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value))) {
    return value.toString(16).padStart(digits, "0");
  }
  return text(value, at).toLowerCase();
}

function integer(value: unknown, at: string): bigint {
  if (value == null) return 0n;
  if (typeof value === "bigint") return value;
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value);
  if (typeof value === "string" && /^-?\d{1,20}$/.test(value)) return BigInt(value);
  throw refuse(at, 'an integer, as a number or a string of digits such as "1767225600000000000"', value);
}

function double(value: unknown, at: string): number {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "string" && value.trim() !== "") {
    const number = Number(value);
    if (!Number.isNaN(number) || value === "NaN") return number;
  }
  throw refuse(at, "a number", value);
}

function enumerated(value: unknown, names: readonly string[], at: string): number {
  if (value == null) return 0;
  if (typeof value === "number" && Number.isInteger(value)) return value;
  const index = typeof value === "string" ? names.indexOf(value) : -1;
  if (index >= 0) return index;
  throw refuse(at, `an integer from 0 to ${names.length - 1}`, value);
}

function refuse(at: string, wanted: string, value: unknown): OtlpDecodeError {
  const kind = value === null ? "null" : Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
  return new OtlpDecodeError(`${at} must be ${wanted}; got ${kind}.`);
}
