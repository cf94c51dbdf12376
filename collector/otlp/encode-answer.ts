import { exportResponseType, statusType } from "./descriptor.ts";

/** The two content types of OTLP/HTTP. An answer has that of its request. */
export type OtlpContentType = "application/json" | "application/x-protobuf";

export interface PartialSuccess {
  /** Spans that were not stored. 0 with a message is a warning: all spans were stored. */
  readonly rejectedSpans: number;
  readonly errorMessage: string;
}

/** `ExportTraceServiceResponse`; an empty one where everything was taken without remark. */
export function encodeExportAnswer(type: OtlpContentType, partial: PartialSuccess | null): Uint8Array<ArrayBuffer> {
  if (type === "application/x-protobuf") {
    return plain(exportResponseType.encode(partial === null ? {} : { partialSuccess: partial }).finish());
  }
  // 64-bit numbers are text in protobuf's JSON.
  const body = partial === null ? {} : { partialSuccess: { ...partial, rejectedSpans: String(partial.rejectedSpans) } };
  return jsonBytes(body);
}

/** `google.rpc.Status` with a code of `google.rpc.Code`. */
export function encodeStatus(type: OtlpContentType, code: number, message: string): Uint8Array<ArrayBuffer> {
  return type === "application/x-protobuf"
    ? plain(statusType.encode({ code, message }).finish())
    : jsonBytes({ code, message });
}

function jsonBytes(body: object): Uint8Array<ArrayBuffer> {
  return plain(new TextEncoder().encode(JSON.stringify(body)));
}

/** A copy of its own: protobufjs writes into a shared pool. */
function plain(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
