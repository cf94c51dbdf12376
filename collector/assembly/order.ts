/** The orders that METRICS.md names, and what follows from "the later end wins". */
import type { ReceivedObservation } from "./types.ts";

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const byNumber = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** Start, end, span id: the order of spans everywhere. */
export function byStart(a: ReceivedObservation, b: ReceivedObservation): number {
  return (
    byNumber(a.start_ns, b.start_ns) ||
    byNumber(a.end_ns, b.end_ns) ||
    byText(a.span_id, b.span_id) ||
    byText(a.trace_id, b.trace_id)
  );
}

/** End, then span id: of two non-null values the one of the last in this order counts. */
export function byEnd(a: ReceivedObservation, b: ReceivedObservation): number {
  return (
    byNumber(a.end_ns, b.end_ns) ||
    byText(a.span_id, b.span_id) ||
    byText(a.trace_id, b.trace_id) ||
    byNumber(a.start_ns, b.start_ns)
  );
}

/**
 * One value out of several observations: non-null wins over null; of two non-null values the one of the observation
 * with the later end, then the greater span id. `said` must be sorted by `byEnd`.
 */
export function lastSaid<O extends ReceivedObservation, T>(
  said: readonly O[],
  value: (observation: O) => T,
): NonNullable<T> | null {
  for (let i = said.length - 1; i >= 0; i -= 1) {
    const found = value(said[i]!);
    if (found !== undefined && found !== null) return found;
  }
  return null;
}

/** The first of several times; at least one. */
export function earliest(times: readonly bigint[]): bigint {
  return times.reduce((first, time) => {
    if (time < first) return time;
    return first;
  });
}

/** The least of several numbers; at least one. However many: a spread call ends at some 120,000 arguments. */
export function least(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b));
}

/** The greatest of several numbers; at least one. */
export function greatest(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.max(a, b));
}

const MILLISECOND = 1_000_000n;

/** Whole milliseconds since 1970, rounded down. */
export function milliseconds(ns: bigint): number {
  return Number(ns / MILLISECOND);
}

/** Whole milliseconds since 1970, rounded up. */
export function millisecondsUp(ns: bigint): number {
  return Number((ns + MILLISECOND - 1n) / MILLISECOND);
}

/** How long a span took, in ms; `null` for lines of files, whose times are not measured. */
export function spanDuration(observation: ReceivedObservation): number | null {
  return observation.source === "otlp" ? Number(observation.end_ns - observation.start_ns) / 1e6 : null;
}
