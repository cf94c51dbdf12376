/** Spans → observations: what each says, or why it is not taken. Pure. */
import { readMulliganSpan } from "../emitters/mulligan.ts";
import type { Complaint } from "../emitters/span-reading.ts";
import type { Span } from "../otlp/span.ts";
import type { NeutralRecord, Observation } from "../records.ts";
import type { Complaints } from "./complaints.ts";
import { readUnreadable } from "./unreadable.ts";

export interface Received {
  readonly observations: readonly Observation[];
  /** Spans of no GenAI operation: taken, and not stored. */
  readonly ignored: number;
}

export function receive(spans: readonly Span[], complaints: Complaints): Received {
  const observations: Observation[] = [];
  let ignored = 0;
  for (const span of spans) {
    const verdict = readMulliganSpan(span);
    const unread = readUnreadable(span);
    if ("ignored" in verdict && !unread.operation) {
      ignored += 1;
      continue;
    }
    // First what was not read: a reader takes it for absent, and would say so.
    const refused = unread.refusal ?? ("refused" in verdict ? verdict.refused : identityFault(span));
    if (refused !== null) {
      complaints.refuse(refused);
      continue;
    }
    if (!("record" in verdict)) continue;
    for (const warning of [...verdict.warnings, ...unread.warnings]) complaints.warn(warning);
    observations.push(observationOf(span, verdict.record));
  }
  return { observations, ignored };
}

const NONE = /^0*$/;

function identityFault(span: Span): Complaint | null {
  if (!isId(span.traceId, 32)) return fault("trace id", "32 hex digits (16 bytes), not all zero");
  if (!isId(span.spanId, 16)) return fault("span id", "16 hex digits (8 bytes), not all zero");
  if (!NONE.test(span.parentSpanId) && !isId(span.parentSpanId, 16)) {
    return fault("parent span id", "16 hex digits (8 bytes), or nothing for a root");
  }
  return null;
}

function isId(text: string, digits: number): boolean {
  return text.length === digits && /^[0-9a-f]+$/.test(text) && !NONE.test(text);
}

function fault(name: string, wanted: string): Complaint {
  return { kind: name, message: `${name}: not valid; send ${wanted}` };
}

function observationOf(span: Span, record: NeutralRecord): Observation {
  const clockWentBack = span.endNs < span.startNs;
  return {
    trace_id: span.traceId,
    span_id: span.spanId,
    parent_span_id: NONE.test(span.parentSpanId) ? null : span.parentSpanId,
    start_ns: span.startNs,
    end_ns: clockWentBack ? span.startNs : span.endNs,
    source: "otlp",
    record,
  };
}
