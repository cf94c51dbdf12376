/** The body of a request, inflated, within the limits. */
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { OtlpContentType } from "../otlp/encode-answer.ts";
import type { ByteBudget } from "./byte-budget.ts";
import type { CollectorLimits } from "./limits.ts";
import { busy, megabytes, Refusal } from "./refusal.ts";

const TYPES: readonly OtlpContentType[] = ["application/x-protobuf", "application/json"];

/** The content type that an answer to this request has: that of the request, JSON where it is none of ours. */
export function answerType(request: Request): OtlpContentType {
  return contentType(request) ?? "application/json";
}

/** @throws {Refusal} 415 */
export function requestType(request: Request): OtlpContentType {
  const type = contentType(request);
  if (type !== null) return type;
  throw new Refusal(
    415,
    `Content-Type must be application/x-protobuf or application/json${request.headers.has("content-type") ? "" : ", and was absent"}. OpenTelemetry exporters set it by OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf or http/json; OTLP over gRPC is not spoken here.`,
    { "accept-post": TYPES.join(", ") },
  );
}

function contentType(request: Request): OtlpContentType | null {
  const sent = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  return TYPES.find((type) => type === sent) ?? null;
}

/**
 * Reads a body while its bytes have room in the budget, and gives it to `use`, which inflates it; its room is given back
 * when `use` has ended.
 *
 * @throws {Refusal} 400, 413, 415 or 503
 */
export async function withBody<T>(
  request: Request,
  limits: CollectorLimits,
  budget: ByteBudget,
  use: (inflated: () => Promise<Uint8Array>) => Promise<T>,
): Promise<T> {
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() || "identity";
  if (encoding !== "gzip" && encoding !== "identity") {
    throw new Refusal(
      415,
      "Content-Encoding must be gzip or identity. Set OTEL_EXPORTER_OTLP_COMPRESSION=gzip, or leave it out.",
      { "accept-encoding": "gzip, identity" },
    );
  }
  let held = 0;
  const take = (bytes: number): void => {
    if (!budget.take(bytes)) throw busy(`Bodies of requests hold ${budget.size} bytes already`, CLOSE);
    held += bytes;
  };
  try {
    const sent = await readAtMost(request, limits, take);
    return await use(async () => (encoding === "gzip" ? inflate(sent, limits.maxInflatedBytes) : sent));
  } finally {
    budget.giveBack(held);
  }
}

async function readAtMost(
  request: Request,
  { maxRequestBytes: max, maxBodyMilliseconds }: CollectorLimits,
  take: (bytes: number) => void,
): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > max) throw tooLarge(max);
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    reader.cancel().catch(() => {}); // ends the read that waits
  }, maxBodyMilliseconds);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (late) throw busy(`The body did not arrive whole within ${maxBodyMilliseconds / 1000} seconds`, CLOSE);
      if (done) return Buffer.concat(chunks, length);
      length += value.length;
      if (length > max) throw tooLarge(max);
      take(value.length);
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    if (error instanceof Refusal) throw error;
    throw new Refusal(400, "The body ended before its announced length.");
  } finally {
    clearTimeout(timer);
  }
}

/** What is still under way on a connection whose request is refused early is not waited for. */
const CLOSE = { connection: "close" };

function tooLarge(max: number): Refusal {
  return new Refusal(
    413,
    `The body is larger than ${megabytes(max)}. Send fewer spans a request (OTEL_BSP_MAX_EXPORT_BATCH_SIZE), or raise MULLIGAN_MAX_REQUEST_BYTES.`,
    CLOSE,
  );
}

const gunzipBytes = promisify(gunzip);

/** zlib inflates piece by piece and stops at the limit: a bomb costs no more than that. */
async function inflate(bytes: Uint8Array, max: number): Promise<Uint8Array> {
  try {
    return await gunzipBytes(bytes, { maxOutputLength: max });
  } catch (error) {
    if (error instanceof RangeError) {
      throw new Refusal(
        413,
        `The body inflates to more than ${megabytes(max)}. Send fewer spans a request (OTEL_BSP_MAX_EXPORT_BATCH_SIZE), or raise MULLIGAN_MAX_INFLATED_BYTES.`,
      );
    }
    throw new Refusal(400, "Content-Encoding says gzip, and the body is no complete gzip stream.");
  }
}
