/** The only place where a number becomes text for a person. */
import type { Rate, Share } from "../statistics/rate.ts";

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const FRACTION = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });

/** What stands for a rate whose denominator is 0. */
export const NO_EVIDENCE = "no evidence";

/** `23,712,000`; shares of turns with two decimals, `2.33`. */
export function formatCount(count: number): string {
  return Number.isInteger(count) ? WHOLE.format(count) : FRACTION.format(count);
}

/** `1 episode`, `2 episodes`. */
export function formatCountOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `86.4 %` of 0.864. */
function percent(value: number): string {
  return `${hundredths(value)} %`;
}

function hundredths(value: number): string {
  return (value * 100).toFixed(1);
}

/** `38 of 44 (86.4 %)`, or `no evidence`. */
export function formatShare({ numerator, denominator, value }: Share): string {
  if (value === null) return NO_EVIDENCE;
  return `${formatCount(numerator)} of ${formatCount(denominator)} (${percent(value)})`;
}

/** `38 of 44 (86.4 %, 95 % CI 73.3–93.6)`, with `, 3 pending` where episodes are left out; or `no evidence`. */
export function formatRate({ numerator, denominator, value, interval, pending }: Rate): string {
  const waits = pending > 0 ? `, ${formatCount(pending)} pending` : "";
  if (value === null || interval === null) return `${NO_EVIDENCE}${waits}`;
  const bounds = `${WHOLE.format(interval.level * 100)} % CI ${hundredths(interval.low)}–${hundredths(interval.high)}`;
  return `${formatCount(numerator)} of ${formatCount(denominator)} (${percent(value)}, ${bounds})${waits}`;
}

/** `640 ms`, `1.14 s`, `12 min 5 s`, `1 h 9 min`; null is `not reported`. */
export function formatDuration(milliseconds: number | null): string {
  if (milliseconds === null) return "not reported";
  if (milliseconds < 999.5) return `${WHOLE.format(milliseconds)} ms`;
  if (milliseconds < 59_995) return `${FRACTION.format(milliseconds / 1_000)} s`;
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${WHOLE.format(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

/** `23,712,000 input tokens`; null is `input tokens not reported`. */
export function formatTokens(count: number | null, what: "input" | "output" | "cached input"): string {
  return count === null ? `${what} tokens not reported` : `${WHOLE.format(count)} ${what} tokens`;
}

/** `2026-03-10 12:00 UTC` of an ISO 8601 time. */
export function formatTime(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}
