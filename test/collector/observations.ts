/** Short ways to say an observation; times in milliseconds after a fixed moment. */
import { createHash } from "node:crypto";
import type { ReceivedObservation } from "../../collector/assemble.ts";
import type { CallRecord, NeutralRecord, RunRecord, TurnRecord } from "../../collector/records.ts";

/** 2026-01-15T12:00:00Z */
export const NOON = Date.UTC(2026, 0, 15, 12);

export interface Place {
  /** Any text; the id is made of it. */
  readonly span: string;
  readonly trace?: string;
  readonly parent?: string;
  readonly start?: number;
  readonly end?: number;
  readonly received?: number;
  readonly source?: string;
}

export function traceId(trace: string): string {
  return createHash("sha256").update(`trace ${trace}`).digest("hex").slice(0, 32);
}

/** Ids keep the order of their texts, as far as their first four characters tell them apart. */
export function spanId(span: string): string {
  return (
    Buffer.from(span.padEnd(4, "\0").slice(0, 4)).toString("hex") +
    createHash("sha256").update(span).digest("hex").slice(0, 8)
  );
}

const ns = (milliseconds: number): bigint => BigInt(NOON + milliseconds) * 1_000_000n;

function say(place: Place, record: NeutralRecord): ReceivedObservation {
  const { span, trace = "t", parent, start = 0, end = start, received = NOON, source = "otlp" } = place;
  return {
    trace_id: traceId(trace),
    span_id: spanId(span),
    parent_span_id: parent === undefined ? null : spanId(parent),
    start_ns: ns(start),
    end_ns: ns(end),
    received_at: received,
    source,
    record,
  };
}

export const call = (place: Place, record: Omit<CallRecord, "type" | "tool"> & { tool?: string } = {}) =>
  say(place, { type: "call", tool: "search", ...record });
export const turn = (place: Place, record: Omit<TurnRecord, "type"> = {}) => say(place, { type: "turn", ...record });
export const run = (place: Place, record: Omit<RunRecord, "type"> = {}) => say(place, { type: "run", ...record });
