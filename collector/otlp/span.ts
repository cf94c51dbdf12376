/** A span as it stood on the wire, whatever the wire format: exact times, plain values, nothing judged. */

/** Integers beyond 2^53 are `bigint`. Maps and bytes are not read: no attribute of the contract has one. */
export type AttributeValue = string | number | bigint | boolean | readonly AttributeValue[];

export type Attributes = Readonly<Record<string, AttributeValue>>;

/** An attribute of the contract that came, and that the limits or its kind kept from being read. */
export interface UnreadableAttribute {
  readonly name: string;
  /** What came, to complete "got …"; nothing of the value itself. */
  readonly why: string;
}

export interface Span {
  /** Lowercase hex as it came: 32 digits in a valid span, none in one without. */
  readonly traceId: string;
  /** 16 digits in a valid span. */
  readonly spanId: string;
  /** 16 digits; empty for a root. */
  readonly parentSpanId: string;
  readonly name: string;
  /** `SpanKind` of OTLP: 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  /** Nanoseconds since 1970. */
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Attributes;
  /** `StatusCode` of OTLP: 0 unset, 1 ok, 2 error. The description may be content and is not read. */
  readonly status: number;
  readonly scopeName: string;
  readonly resource: Attributes;
  readonly unreadable?: readonly UnreadableAttribute[];
  readonly unreadableResource?: readonly UnreadableAttribute[];
}

export const STATUS_ERROR = 2;

/** Beyond these an attribute is not read: no attribute of the contract comes near. */
export const ATTRIBUTE_LIMITS = {
  /** Attributes of one span or resource, those of the contract and all others each; OpenTelemetry's default is 128. */
  count: 512,
  /** Characters of a name. */
  name: 256,
  /** Characters of a text. Captured content is longer, and is not read. */
  text: 4096,
  /** Elements of a list. */
  elements: 128,
  /** Lists inside lists. */
  depth: 4,
} as const;

/** The bytes are no export request. The message says where and why, never what stood there. */
export class OtlpDecodeError extends Error {
  override readonly name = "OtlpDecodeError";
}
