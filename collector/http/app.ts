/** `POST /v1/traces`: OTLP over HTTP (opentelemetry.io, "OTLP Specification", OTLP/HTTP). */
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { errorCode, isConnectionLost } from "../../database/errors.ts";
import { countElements } from "../otlp/count-elements.ts";
import { decodeTraces } from "../otlp/decode.ts";
import { encodeExportAnswer, encodeStatus, type OtlpContentType } from "../otlp/encode-answer.ts";
import { OtlpDecodeError } from "../otlp/span.ts";
import type { Store } from "../store.ts";
import { answerType, requestType, withBody } from "./body.ts";
import { ByteBudget } from "./byte-budget.ts";
import { Complaints } from "./complaints.ts";
import { type CollectorLimits, DEFAULT_LIMITS } from "./limits.ts";
import { type Received, receive } from "./receive.ts";
import { busy, Refusal } from "./refusal.ts";

/** What became of the spans of one request. */
export interface ReceiveReport {
  readonly stored: number;
  /** Sent before. */
  readonly known: number;
  /** Spans of no GenAI operation. */
  readonly ignored: number;
  readonly refused: number;
}

export interface CollectorOptions {
  readonly store: Store;
  readonly limits?: Partial<CollectorLimits>;
  /** Stands before everything else, also before the body is read: `requireToken(…)` of `access`. */
  readonly authorise?: MiddlewareHandler;
  /** Called after the commit of new observations; wakes who assembles them. Must not throw. */
  readonly onStored?: () => void;
  /** Called with what became of each request's spans, for counters. */
  readonly onReceived?: (report: ReceiveReport) => void;
  /** Called for an answer of 500 or 503; no text of the error, which may hold what was sent. */
  readonly onFailure?: (failure: { readonly status: 500 | 503; readonly code: string | null }) => void;
  /** Spreads the return of many clients; `Math.random` if absent. */
  readonly random?: () => number;
}

/** The collector as an app of its own, mounted at the root of the service. */
export function collectorApp(options: CollectorOptions): Hono {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { store, random = Math.random } = options;
  const budget = new ByteBudget(Math.max(limits.maxHeldBytes, limits.maxRequestBytes));
  let inFlight = 0;

  const storeSpans = async (context: Context, complaints: Complaints): Promise<void> => {
    const type = requestType(context.req.raw);
    // A place is taken when the body is there: an upload that stalls must keep nobody else from being stored.
    await withBody(context.req.raw, limits, budget, async (inflated) => {
      if (inFlight >= limits.maxInFlight) throw busy(`${limits.maxInFlight} requests are being stored already`);
      inFlight += 1;
      try {
        const { observations, ignored } = readSpans(await inflated(), type, limits, complaints);
        const { stored, known, refused } = await store.insert(observations).catch((error: unknown) => {
          if (!isConnectionLost(error)) throw error;
          options.onFailure?.({ status: 503, code: errorCode(error) ?? null });
          throw busy("The database cannot be reached");
        });
        for (const complaint of refused) complaints.refuse(complaint);
        options.onReceived?.({ stored, known, ignored, refused: complaints.refused });
        if (stored > 0) options.onStored?.();
      } finally {
        inFlight -= 1;
      }
    });
  };

  const app = new Hono();
  if (options.authorise !== undefined) app.use("/v1/*", options.authorise);
  app.post("/v1/traces", async function exportTraces(context) {
    const type = answerType(context.req.raw);
    const complaints = new Complaints();
    try {
      await storeSpans(context, complaints);
      return context.body(encodeExportAnswer(type, complaints.partialSuccess()), 200, { "content-type": type });
    } catch (error) {
      const refusal = error instanceof Refusal ? error : internalError(error);
      if (refusal !== error) options.onFailure?.({ status: 500, code: errorCode(error) ?? null });
      // An exporter gives a batch up at once if Retry-After exceeds its own timeout (10 s): 1 or 2.
      const retryAfter = refusal.status === 503 ? { "retry-after": random() < 0.5 ? "1" : "2" } : {};
      const headers = { "content-type": type, ...retryAfter, ...refusal.headers };
      return context.body(encodeStatus(type, refusal.code, refusal.message), refusal.status, headers);
    }
  });
  app.all("/v1/traces", (context) =>
    context.json({ code: 12, message: "Spans are sent here by POST, as OTLP over HTTP." }, 405, { allow: "POST" }),
  );
  app.all("/v1/:signal{metrics|logs}", (context) =>
    context.json(
      {
        code: 12,
        message:
          "Only spans are taken here: POST /v1/traces. Switch the other signals off with OTEL_METRICS_EXPORTER=none and OTEL_LOGS_EXPORTER=none.",
      },
      404,
    ),
  );
  return app;
}

/** Decodes and reduces in one go, so that the decoded spans of only one request are alive at a time. */
function readSpans(
  bytes: Uint8Array,
  type: OtlpContentType,
  limits: CollectorLimits,
  complaints: Complaints,
): Received {
  if (countElements(bytes, type, limits.maxElements) > limits.maxElements) {
    throw new Refusal(
      413,
      `The body holds more than ${limits.maxElements} spans, attributes and values. Send fewer spans a request (OTEL_BSP_MAX_EXPORT_BATCH_SIZE).`,
    );
  }
  try {
    return receive(decodeTraces(bytes, type), complaints);
  } catch (error) {
    if (error instanceof OtlpDecodeError) throw new Refusal(400, error.message);
    throw error;
  }
}

function internalError(_error: unknown): Refusal {
  return new Refusal(500, "The collector failed on this request; nothing was stored. It is a fault of the collector.");
}
