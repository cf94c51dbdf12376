/** Export requests as OTLP/JSON, written by hand: for tests that must know which span was acknowledged. */
import { randomBytes } from "node:crypto";

export interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
}

const attribute = (key: string, value: string | number) => ({
  key,
  value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
});

/** A run of `turns` turns with one call each; every other call is rejected. Returns the spans and the request's body. */
export function runRequest(runId: string, turns: number, at: number): { spans: SentSpan[]; body: string } {
  const traceId = randomBytes(16).toString("hex");
  const otlpSpans = Array.from({ length: turns }, (_, turn) => {
    const rejected = turn % 2 === 0;
    return {
      traceId,
      spanId: randomBytes(8).toString("hex"),
      name: "execute_tool book_room",
      kind: 1,
      startTimeUnixNano: `${at + turn * 1000}000000`,
      endTimeUnixNano: `${at + turn * 1000 + 5}000000`,
      status: rejected ? { code: 2 } : {},
      attributes: [
        attribute("gen_ai.operation.name", "execute_tool"),
        attribute("gen_ai.tool.name", "book_room"),
        attribute("mulligan.run.id", runId),
        attribute("mulligan.turn.index", turn),
        attribute("mulligan.call.index", 0),
        attribute("mulligan.call.verdict", rejected ? "rejected" : "accepted"),
        ...(rejected
          ? [
              attribute("mulligan.call.failure_class", "schema"),
              attribute("mulligan.error.fingerprint", "invalid:start:date_format"),
            ]
          : []),
      ],
    };
  });
  return {
    spans: otlpSpans.map(({ spanId }) => ({ traceId, spanId })),
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: otlpSpans }] }] }),
  };
}

/** Sends a request; true where it was acknowledged with 200 and nothing in it was rejected. */
export async function send(url: string, body: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const answer = (await response.json()) as { partialSuccess?: { rejectedSpans?: string | number } };
    return response.status === 200 && Number(answer.partialSuccess?.rejectedSpans ?? 0) === 0;
  } catch {
    return false; // the process died under the request
  }
}
