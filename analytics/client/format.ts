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

const COMPACT = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** `12.3k`, `1.2M`: where there is no room; the whole number belongs in a title or a table. */
export function formatCompact(count: number): string {
  return Math.abs(count) < 1_000 ? formatCount(count) : COMPACT.format(count).replace("K", "k");
}

/** `86.4 %` of 0.864; null is `no evidence`. It never stands alone: numerator and denominator belong beside it. */
export function formatPercent(value: number | null): string {
  return value === null ? NO_EVIDENCE : percent(value);
}

/** `86.4 %` of 0.864. */
function percent(value: number): string {
  return `${hundredths(value)} %`;
}

/** `38 of 44`, whose value stands beside it. */
export function formatOf({ numerator, denominator }: Pick<Share, "numerator" | "denominator">): string {
  return `${formatCount(numerator)} of ${formatCount(denominator)}`;
}

/** `73.3–93.6 %`; null is `no evidence`. */
export function formatInterval(interval: Rate["interval"]): string {
  return interval === null ? NO_EVIDENCE : `${hundredths(interval.low)}–${hundredths(interval.high)} %`;
}

function hundredths(value: number): string {
  return (value * 100).toFixed(1);
}

/** `38 of 44 (86.4 %)`, or `no evidence`. */
export function formatShare({ numerator, denominator, value }: Share): string {
  if (value === null) return NO_EVIDENCE;
  return `${formatOf({ numerator, denominator })} (${percent(value)})`;
}

/** `38 of 44 (86.4 %, 95 % CI 73.3–93.6)`, with `, 3 pending` where episodes are left out; or `no evidence`. */
export function formatRate({ numerator, denominator, value, interval, pending }: Rate): string {
  const waits = pending > 0 ? `, ${formatCount(pending)} pending` : "";
  if (value === null || interval === null) return `${NO_EVIDENCE}${waits}`;
  const bounds = `${WHOLE.format(interval.level * 100)} % CI ${hundredths(interval.low)}–${hundredths(interval.high)}`;
  return `${formatOf({ numerator, denominator })} (${percent(value)}, ${bounds})${waits}`;
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

/** `2026-03-10` of an ISO 8601 time: the day in UTC. */
export function formatDay(iso: string): string {
  return iso.slice(0, 10);
}

/** `03-10 12:00` of an ISO 8601 time: for the ticks of an axis that says UTC. */
export function formatHour(iso: string): string {
  return `${iso.slice(5, 10)} ${iso.slice(11, 16)}`;
}

/** `12:00` of an ISO 8601 time. */
export function formatMinute(iso: string): string {
  return iso.slice(11, 16);
}

/** `just now`, `12 s ago`, `4 min ago`, `3 h ago`, `12 days ago` of a moment and the later one at which it is read. */
export function formatAge(then: string | Date, now: string | Date): string {
  const seconds = Math.floor((new Date(now).getTime() - new Date(then).getTime()) / 1_000);
  if (seconds < 1) return "just now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 48 * 3_600) return `${Math.floor(seconds / 3_600)} h ago`;
  return `${WHOLE.format(Math.floor(seconds / 86_400))} days ago`;
}
