/** The interval that is verified, cut at the days in UTC, so that only the rollups of one day are in memory. Pure. */

/** Half-open, on whole minutes; `null` is unbounded. */
export interface Range {
  readonly from: Date | null;
  readonly to: Date | null;
}

/** What of one day in UTC lies in the range: half-open, milliseconds since 1970. */
export interface DayPart {
  /** When the day begins. */
  readonly day: number;
  readonly from: number;
  readonly to: number;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export const startOfHour = (time: number): number => Math.floor(time / HOUR) * HOUR;
export const startOfDay = (time: number): number => Math.floor(time / DAY) * DAY;

/** @param day - Begins the day. */
export function partOfDay(day: number, { from, to }: Range): DayPart {
  return {
    day,
    from: Math.max(day, from?.getTime() ?? Number.NEGATIVE_INFINITY),
    to: Math.min(day + DAY, to?.getTime() ?? Number.POSITIVE_INFINITY),
  };
}

/** Whether the range holds the whole day, so that its daily rollups can be recomputed from the range. */
export function isWholeDay({ day, from, to }: DayPart): boolean {
  return from === day && to === day + DAY;
}

/** The whole hours of the part, half-open; empty where `from` is not before `to`. */
export function wholeHours({ from, to }: DayPart): { readonly from: number; readonly to: number } {
  return { from: Math.ceil(from / HOUR) * HOUR, to: startOfHour(to) };
}

export function isIn(time: number, { from, to }: { readonly from: number; readonly to: number }): boolean {
  return time >= from && time < to;
}

/**
 * The first of a run's times that lies in the range: a run is compared as a whole on the day of that time, and
 * contributes to the rollups of every day that it touches.
 */
export function firstInRange(times: Iterable<number>, { from, to }: Range): number | null {
  let first: number | null = null;
  for (const time of times) {
    if (!Number.isFinite(time) || (from !== null && time < from.getTime()) || (to !== null && time >= to.getTime()))
      continue;
    if (first === null || time < first) first = time;
  }
  return first;
}
