/**
 * The part of OTLP's trace service that is read, for protobufjs.
 *
 * Field names and numbers are those of opentelemetry-proto v1 (`trace/v1/trace.proto`, `common/v1/common.proto`,
 * `resource/v1/resource.proto`, `collector/trace/v1/trace_service.proto`) and of `google/rpc/status.proto`. What is
 * absent here is skipped on the wire: events, links, status descriptions and dropped counts are never decoded.
 */
import protobuf from "protobufjs/light.js";

const field = (type: string, id: number) => ({ type, id });
/** Also kept where it holds the type's default: `false` is a value, and no absent one. */
const stated = (type: string, id: number) => ({ type, id, options: { features: { field_presence: "EXPLICIT" } } });
const list = (type: string, id: number) => ({ rule: "repeated", type, id });

const root = protobuf.Root.fromJSON({
  nested: {
    ExportTraceServiceRequest: { fields: { resourceSpans: list("ResourceSpans", 1) } },
    ResourceSpans: { fields: { resource: field("Resource", 1), scopeSpans: list("ScopeSpans", 2) } },
    Resource: { fields: { attributes: list("KeyValue", 1) } },
    ScopeSpans: { fields: { scope: field("Scope", 1), spans: list("Span", 2) } },
    Scope: { fields: { name: field("string", 1) } },
    Span: {
      fields: {
        traceId: field("bytes", 1),
        spanId: field("bytes", 2),
        parentSpanId: field("bytes", 4),
        name: field("string", 5),
        kind: field("int32", 6),
        startTimeUnixNano: field("fixed64", 7),
        endTimeUnixNano: field("fixed64", 8),
        attributes: list("KeyValue", 9),
        status: field("SpanStatus", 15),
      },
    },
    SpanStatus: { fields: { code: field("int32", 3) } },
    KeyValue: { fields: { key: field("string", 1), value: field("AnyValue", 2) } },
    AnyValue: {
      // A oneof on the wire. It is not declared as one: for each value protobufjs would delete the six other fields.
      fields: {
        stringValue: stated("string", 1),
        boolValue: stated("bool", 2),
        intValue: stated("int64", 3),
        doubleValue: stated("double", 4),
        arrayValue: stated("ArrayValue", 5),
        // A message of its own; it is only told apart, so its bytes are left as they are.
        kvlistValue: stated("bytes", 6),
        bytesValue: stated("bytes", 7),
      },
    },
    ArrayValue: { fields: { values: list("AnyValue", 1) } },
    ExportTraceServiceResponse: { fields: { partialSuccess: field("PartialSuccess", 1) } },
    PartialSuccess: { fields: { rejectedSpans: field("int64", 1), errorMessage: field("string", 2) } },
    Status: { fields: { code: field("int32", 1), message: field("string", 2) } },
  },
});

export const exportRequestType = root.lookupType("ExportTraceServiceRequest");
export const exportResponseType = root.lookupType("ExportTraceServiceResponse");
/** `google.rpc.Status`: the body of every OTLP/HTTP answer that is no success. */
export const statusType = root.lookupType("Status");
