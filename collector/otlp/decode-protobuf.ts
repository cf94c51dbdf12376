import { AttributeList, boundedText, exactInteger, type ReadValue, readList, Unreadable } from "./attribute-list.ts";
import { exportRequestType } from "./descriptor.ts";
import { ATTRIBUTE_LIMITS, OtlpDecodeError, type Span } from "./span.ts";

/** protobufjs gives 64-bit fields as two halves, or as a number where they were not on the wire. */
type Wide = { readonly low: number; readonly high: number } | number;

interface WireValue {
  readonly stringValue: string;
  readonly boolValue: boolean;
  readonly intValue: Wide;
  readonly doubleValue: number;
  readonly arrayValue: { readonly values: readonly WireValue[] };
}
interface WireKeyValue {
  readonly key: string;
  readonly value: WireValue | null;
}
interface WireSpan {
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly parentSpanId: Uint8Array;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: Wide;
  readonly endTimeUnixNano: Wide;
  readonly attributes: readonly WireKeyValue[];
  readonly status: { readonly code: number } | null;
}
interface WireScopeSpans {
  readonly scope: { readonly name: string } | null;
  readonly spans: readonly WireSpan[];
}
interface WireRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly WireKeyValue[] } | null;
    readonly scopeSpans: readonly WireScopeSpans[];
  }[];
}

/** @throws {OtlpDecodeError} where the bytes are no `ExportTraceServiceRequest`. */
export function decodeProtobuf(bytes: Uint8Array): Span[] {
  const request = readMessage(bytes);
  const spans: Span[] = [];
  for (const { resource, scopeSpans } of request.resourceSpans) {
    const resourceList = readAttributes(resource?.attributes ?? []);
    for (const { scope, spans: wireSpans } of scopeSpans) {
      for (const wire of wireSpans) {
        const list = readAttributes(wire.attributes);
        spans.push({
          traceId: hex(wire.traceId),
          spanId: hex(wire.spanId),
          parentSpanId: hex(wire.parentSpanId),
          name: wire.name,
          kind: wire.kind,
          startNs: unsigned(wire.startTimeUnixNano),
          endNs: unsigned(wire.endTimeUnixNano),
          attributes: list.values,
          status: wire.status?.code ?? 0,
          scopeName: scope?.name ?? "",
          resource: resourceList.values,
          unreadable: list.unreadable,
          unreadableResource: resourceList.unreadable,
        });
      }
    }
  }
  return spans;
}

function readMessage(bytes: Uint8Array): WireRequest {
  try {
    // protobufjs checks wire types, lengths and nesting, and types its messages as plain objects: the descriptor
    // beside is what makes this shape true.
    return exportRequestType.decode(bytes) as unknown as WireRequest;
  } catch (cause) {
    throw new OtlpDecodeError("The bytes are no ExportTraceServiceRequest of OTLP in protobuf.", { cause });
  }
}

function readAttributes(pairs: readonly WireKeyValue[]): AttributeList {
  const list = new AttributeList();
  for (const { key, value } of pairs) list.add(key, value === null ? undefined : readValue(value, 0));
  return list;
}

function readValue(wire: WireValue, depth: number): ReadValue {
  // A message holds as its own what was on the wire; of several values the last one counts (protobuf, "Oneof").
  switch (Object.keys(wire).at(-1)) {
    case "stringValue":
      return boundedText(wire.stringValue);
    case "boolValue":
      return wire.boolValue;
    case "intValue":
      return exactInteger(BigInt.asIntN(64, unsigned(wire.intValue)));
    case "doubleValue":
      return wire.doubleValue;
    case "arrayValue": {
      const { values } = wire.arrayValue;
      if (depth >= ATTRIBUTE_LIMITS.depth) return Unreadable.depth;
      if (values.length > ATTRIBUTE_LIMITS.elements) return Unreadable.elements;
      return readList(values.map((value) => readValue(value, depth + 1)));
    }
    case "kvlistValue":
      return Unreadable.map;
    case "bytesValue":
      return Unreadable.bytes;
    default:
      return undefined;
  }
}

function unsigned(value: Wide): bigint {
  if (typeof value === "number") return BigInt.asUintN(64, BigInt(value));
  return (BigInt(value.high >>> 0) << 32n) | BigInt(value.low >>> 0);
}

/** @param bytes - An empty list where the field was not on the wire. */
function hex(bytes: Uint8Array): string {
  if (bytes.length === 0) return "";
  // An id has 8 or 16 bytes; anything longer is refused anyway, and is not written out.
  if (bytes.length > 16) return "longer than any id";
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");
}
