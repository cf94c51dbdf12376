/** Wire formats → spans. Pure; the door of this folder for requests. */
import { decodeJson } from "./decode-json.ts";
import { decodeProtobuf } from "./decode-protobuf.ts";
import type { OtlpContentType } from "./encode-answer.ts";
import type { Span } from "./span.ts";

/**
 * The spans of an export request, in its order.
 *
 * @throws {OtlpDecodeError} where the bytes are none. Spans with bad ids or values are returned: whoever reads them
 *   refuses each by itself.
 */
export function decodeTraces(bytes: Uint8Array, type: OtlpContentType): Span[] {
  return type === "application/x-protobuf" ? decodeProtobuf(bytes) : decodeJson(bytes);
}
