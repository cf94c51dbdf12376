/** Time ranges of a page: how far back from now, everything, or from one moment to another in UTC. Pure. */

export const RANGES = ["15m", "1h", "24h", "7d", "14d", "30d", "90d", "all"] as const;
export type RangeName = (typeof RANGES)[number];

const DEFAULT_RANGE: RangeName = "7d";

/** What a range is called where there is room for words. */
export const RANGE_WORDS: Readonly<Record<RangeName, string>> = {
  "15m": "last 15 minutes",
  "1h": "last hour",
  "24h": "last 24 hours",
  "7d": "last 7 days",
  "14d": "last 14 days",
  "30d": "last 30 days",
  "90d": "last 90 days",
  all: "everything",
};

/** The parameters of the API that state times: `last` alone, or `from` and `to` (ISO 8601, UTC, on whole minutes). */
export type Times = { readonly last: string } | { readonly from?: string; readonly to?: string };

const MINUTE = 60_000;
const UNITS: Readonly<Record<string, number>> = { m: MINUTE, h: 60 * MINUTE, d: 24 * 60 * MINUTE };

/** The times that a query string states. */
export function timesOf(params: URLSearchParams): Times {
  const [from, to] = [params.get("from"), params.get("to")];
  if (from !== null || to !== null) return { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) };
  return { last: params.get("last") ?? DEFAULT_RANGE };
}

export function writeTimes(params: URLSearchParams, times: Times): void {
  for (const name of ["last", "from", "to"]) params.delete(name);
  for (const [name, value] of Object.entries(times)) {
    if (name !== "last" || value !== DEFAULT_RANGE) params.set(name, value);
  }
}

/** Milliseconds of `24h`; null where the text is no such length. */
function lengthOf(last: string): number | null {
  const match = /^([1-9]\d{0,4})([mhd])$/.exec(last);
  return match === null ? null : Number(match[1]) * UNITS[match[2]!]!;
}

/**
 * The interval of the same length before (-1) or after (1) these times. Forward over the present comes back to
 * `last`, which moves with the clock. Null where the times have no length.
 */
export function shifted(times: Times, direction: -1 | 1, now: number): Times | null {
  const bounds = boundsOf(times, now);
  if (bounds === null) return null;
  const length = bounds.to - bounds.from;
  const to = bounds.to + direction * length;
  if ("last" in times && direction === 1) return null;
  const name = RANGES.find((range) => lengthOf(range) === length);
  if (direction === 1 && to >= now - MINUTE && name !== undefined) return { last: name };
  return { from: minuteText(to - length), to: minuteText(to) };
}

/** Both ends in milliseconds since 1970; null where one is open or unreadable. */
export function boundsOf(times: Times, now: number): { readonly from: number; readonly to: number } | null {
  if ("last" in times) {
    const length = lengthOf(times.last);
    const to = Math.ceil(now / MINUTE) * MINUTE;
    return length === null ? null : { from: to - length, to };
  }
  const [from, to] = [Date.parse(times.from ?? ""), Date.parse(times.to ?? "")];
  return Number.isNaN(from) || Number.isNaN(to) || from >= to ? null : { from, to };
}

/** `2026-03-10T12:00Z`, as the API takes it. */
export function minuteText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16)}Z`;
}
