/** A time axis in UTC that several charts under one another share. Pure. */
import { formatDay, formatMinute } from "../../../analytics/client/format.ts";
import { type LinearScale, linearScale } from "./linear-scale.ts";

export interface TimeAxis {
  /** Milliseconds since 1970, half-open. */
  readonly from: number;
  readonly to: number;
}

/** Room for the labels of a vertical axis, the same in every chart so that their times stand under each other. */
export const PLOT_LEFT = 52;
export const PLOT_RIGHT = 10;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7, 14, 28, 91, 182, 364].map((days) => days * DAY),
];
/** Ticks of a week or more fall on Mondays: 1970 began on a Thursday. */
const MONDAY = 4 * DAY;
const ROOM_OF_A_LABEL = 78;

/** From time to pixels of a chart `width` wide. */
export function timeScale({ from, to }: TimeAxis, width: number): LinearScale {
  return linearScale([from, to], [PLOT_LEFT, Math.max(PLOT_LEFT + 1, width - PLOT_RIGHT)]);
}

/** Round times, as many as labels have room. */
export function timeTicks({ from, to }: TimeAxis, width: number): readonly number[] {
  const most = Math.max(2, Math.floor((width - PLOT_LEFT - PLOT_RIGHT) / ROOM_OF_A_LABEL));
  const step = STEPS.find((candidate) => (to - from) / candidate <= most) ?? STEPS.at(-1)! * 2;
  const origin = step >= 7 * DAY ? MONDAY : 0;
  const times: number[] = [];
  for (let time = Math.ceil((from - origin) / step) * step + origin; time < to; time += step) times.push(time);
  return times;
}

/** Midnight is named by its day, any other tick by its minute. */
export function tickText(time: number): string {
  const iso = new Date(time).toISOString();
  return time % DAY === 0 ? formatDay(iso) : formatMinute(iso);
}

/** What the charts of an answer span: the interval that was asked for, else from the first bucket to the last. */
export function axisOf(
  scope: { readonly from: string | null; readonly to: string | null },
  buckets: readonly { readonly start: string; readonly end: string }[],
): TimeAxis | null {
  const [first, last] = [buckets[0], buckets.at(-1)];
  const from = scope.from ?? first?.start;
  const to = scope.to ?? last?.end;
  if (from === undefined || to === undefined) return null;
  const axis = {
    from: Math.min(Date.parse(from), Date.parse(first?.start ?? from)),
    to: Math.max(Date.parse(to), Date.parse(last?.end ?? to)),
  };
  return axis.from < axis.to ? axis : null;
}

/** Which bucket has its middle nearest to a time. */
export function nearestTo(buckets: readonly { readonly start: string; readonly end: string }[], time: number): number {
  const away = buckets.map(({ start, end }) => Math.abs((Date.parse(start) + Date.parse(end)) / 2 - time));
  return away.indexOf(Math.min(...away));
}
