/** Export requests made by hand, the same content as protobuf and as JSON. */
import { exportRequestType } from "../../collector/otlp/descriptor.ts";
import { NOON, spanId, traceId } from "./observations.ts";

export type Plain = string | number | bigint | boolean | readonly Plain[];

export interface PlainSpan {
  readonly trace?: string;
  readonly span: string;
  readonly parent?: string;
  readonly name?: string;
  readonly startNs?: bigint;
  readonly endNs?: bigint;
  readonly status?: number;
  readonly attributes: Readonly<Record<string, Plain>>;
}

const DEFAULT_START = BigInt(NOON) * 1_000_000n;

export function toolSpan(span: string, attributes: Record<string, Plain> = {}): PlainSpan {
  return {
    span,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "search",
      "mulligan.run.id": "run-1",
      ...attributes,
    },
  };
}

function anyValue(value: Plain): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "bigint") return { intValue: String(value) };
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: value } : { doubleValue: value };
  return { arrayValue: { values: value.map(anyValue) } };
}

const keyValues = (attributes: Readonly<Record<string, Plain>>) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));

function request(spans: readonly PlainSpan[], id: (hex: string) => string) {
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues({ "service.name": "agent", "deployment.environment.name": "test" }) },
        scopeSpans: [
          {
            scope: { name: "scope" },
            spans: spans.map(({ trace = "t", span, parent, name = "span", startNs = DEFAULT_START, ...rest }) => ({
              traceId: id(traceId(trace)),
              spanId: id(spanId(span)),
              ...(parent !== undefined && { parentSpanId: id(spanId(parent)) }),
              name,
              kind: 1,
              startTimeUnixNano: String(startNs),
              endTimeUnixNano: String(rest.endNs ?? startNs + 1_000_000n),
              attributes: keyValues(rest.attributes),
              status: { code: rest.status ?? 0 },
            })),
          },
        ],
      },
    ],
  };
}

export function jsonBody(...spans: PlainSpan[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(request(spans, (hex) => hex)));
}

export function protobufBody(...spans: PlainSpan[]): Uint8Array<ArrayBuffer> {
  const base64 = (hex: string) => Buffer.from(hex, "hex").toString("base64");
  return new Uint8Array(exportRequestType.encode(exportRequestType.fromObject(request(spans, base64))).finish());
}
