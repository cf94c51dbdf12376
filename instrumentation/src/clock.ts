import type { HrTime } from "@opentelemetry/api";
import { guarded } from "./guard.ts";

/** Milliseconds since 1970, fractions allowed. */
export type Clock = () => number;

/** Wall clock and monotonic clock may drift this far apart before the wall clock is read anew (sleep, NTP). */
const MOST_DRIFT_MS = 20;
let offset = Date.now() - performance.now();

/**
 * Wall-clock time with the resolution and order of the monotonic clock. Millisecond times would make calls that came
 * one after the other look parallel, and turns are inferred from that.
 */
export const systemClock: Clock = () => {
  const monotonic = performance.now();
  const wall = Date.now();
  if (Math.abs(wall - monotonic - offset) > MOST_DRIFT_MS) offset = wall - monotonic;
  return monotonic + offset;
};

/** A clock that never fails: where the host's own throws or tells no time, the system's time is taken. */
export function reliable(clock: Clock | undefined): Clock {
  if (clock === undefined || clock === null) return systemClock;
  const read = () => Number(clock());
  return () => {
    const time = guarded("clock", "a clock threw, so the system's time is taken", read, Number.NaN);
    return Number.isFinite(time) ? time : systemClock();
  };
}

/** A pair, because the SDK takes a small number for a reading of the monotonic clock. */
export function toHrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.min(999_999_999, Math.round((ms - seconds * 1000) * 1e6))];
}
