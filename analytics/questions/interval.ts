/** Which rows cover an interval: whole days, whole hours at their edges, minutes at the edges of those. */

/** Half-open, in UTC, on whole minutes; null is unbounded. */
export interface Interval {
  readonly from: Date | null;
  readonly to: Date | null;
}

/** How finely an answer is divided over time; `whole` is not divided. */
export type Grain = "whole" | "day" | "hour" | "minute";

/** Disjoint parts that make up an interval. */
export interface Cover {
  /** On whole days: answered by rows a day. */
  readonly days: readonly Interval[];
  /** On whole hours: answered by rows an hour. */
  readonly hours: readonly Interval[];
  /** Days and hours together; null where the interval holds no whole hour, or minutes are asked for. */
  readonly rolled: Interval | null;
  /** What rollups do not reach: answered by what each run contributes. */
  readonly minutes: readonly Interval[];
}

const MINUTE = 60_000;
const LENGTHS = { minute: MINUTE, hour: 60 * MINUTE, day: 24 * 60 * MINUTE } as const;

/** Covers an interval by the coarsest rows that can still be divided as the grain asks. */
export function coverOf(interval: Interval, grain: Grain): Cover {
  if (grain === "minute") return { days: [], hours: [], rolled: null, minutes: [interval] };
  const { inside: rolled, edges: minutes } = split(interval, "hour");
  if (rolled === null) return { days: [], hours: [], rolled, minutes };
  if (grain === "hour") return { days: [], hours: [rolled], rolled, minutes };
  const { inside: days, edges: hours } = split(rolled, "day");
  return { days: days === null ? [] : [days], hours, rolled, minutes };
}

/** The start of the bucket that holds a moment; days and hours have the same length always, for they are UTC's. */
export function bucketStart(time: Date, bucket: keyof typeof LENGTHS): Date {
  return new Date(Math.floor(time.getTime() / LENGTHS[bucket]) * LENGTHS[bucket]);
}

export function bucketEnd(time: Date, bucket: keyof typeof LENGTHS): Date {
  return new Date(bucketStart(time, bucket).getTime() + LENGTHS[bucket]);
}

/** The whole buckets of an interval, and what is left of it before and after them. */
function split({ from, to }: Interval, bucket: "day" | "hour") {
  const floor = to === null ? null : bucketStart(to, bucket);
  const ceiling = from === null ? null : new Date(-Math.floor(-from.getTime() / LENGTHS[bucket]) * LENGTHS[bucket]);
  if (floor !== null && ceiling !== null && ceiling >= floor) return { inside: null, edges: [{ from, to }] };
  const edges = [
    { from, to: ceiling },
    { from: floor, to },
  ].filter((edge) => edge.from !== null && edge.to !== null && edge.from < edge.to);
  return { inside: { from: ceiling, to: floor }, edges };
}
