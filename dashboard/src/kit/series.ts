/** One rate over time, as data: what is joined by a line, and where its scale ends. Pure. */
import type { Rate } from "../../../analytics/client/client.ts";

/** A bucket of time, ISO 8601 in UTC, with the rate of what began in it. */
export interface SeriesPoint {
  readonly start: string;
  readonly end: string;
  readonly rate: Rate;
}

/** A moment at which something was changed: the letter stands on the chart, its meaning in a list beside it. */
export interface TimeFlag {
  readonly at: string;
  readonly letter: string;
  /** The new version. */
  readonly value: string;
  readonly what: "schema_version" | "template_version";
}

/** Runs of neighbouring buckets with evidence. Nothing is drawn across a bucket without any. */
export function segmentsOf(points: readonly SeriesPoint[]): readonly (readonly SeriesPoint[])[] {
  const segments: SeriesPoint[][] = [];
  let before: SeriesPoint | undefined;
  for (const point of points) {
    if (point.rate.value !== null) {
      const joined = before !== undefined && before.rate.value !== null && before.end === point.start;
      if (joined) segments.at(-1)!.push(point);
      else segments.push([point]);
    }
    before = point;
  }
  return segments;
}

/** Where the scale ends: it always begins at 0, and holds every interval. */
export function topOf(points: readonly SeriesPoint[]): number {
  const highest = Math.max(0, ...points.map(({ rate }) => rate.interval?.high ?? 0));
  return [0.02, 0.05, 0.1, 0.2, 0.5].find((top) => highest <= top) ?? 1;
}
