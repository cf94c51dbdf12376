/** One rate over time, small: its interval as a band, gaps where there is no evidence. Always from 0 to 100 %. */
import { area, line } from "d3-shape";
import type { Rate } from "../../../analytics/client/client.ts";
import { isLittle } from "../kit/interval-bar.tsx";

export interface SparkPoint {
  /** Where in the interval the bucket stands, from 0 to 1. */
  readonly at: number;
  readonly rate: Rate;
}

/** Units of the drawing; it is stretched to the width that it is given. */
const WIDTH = 100;
const HEIGHT = 32;

const x = (point: SparkPoint) => point.at * WIDTH;
const y = (share: number) => HEIGHT - share * HEIGHT;
const known = ({ rate }: SparkPoint) => rate.value !== null;

const band = area<SparkPoint>()
  .defined(known)
  .x(x)
  .y0(({ rate }) => y(rate.interval?.low ?? 0))
  .y1(({ rate }) => y(rate.interval?.high ?? 0));
const values = line<SparkPoint>()
  .defined(known)
  .x(x)
  .y(({ rate }) => y(rate.value ?? 0));

export function Sparkline({ points, title }: { readonly points: readonly SparkPoint[]; readonly title: string }) {
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      width="100%"
      height={HEIGHT}
      role="img"
      aria-label={title}
    >
      <title>{title}</title>
      <line className="spark-axis" x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
      <line className="spark-axis" x1="0" x2={WIDTH} y1="0" y2="0" />
      <path className="spark-band" d={band(points) ?? ""} />
      <path className="spark-line" d={values(points) ?? ""} />
      {points.filter(known).map((point, index, all) =>
        // A dot of its own where a line cannot show it: alone between gaps, or the latest.
        index === all.length - 1 || alone(points, point) ? <Dot key={point.at} point={point} /> : null,
      )}
    </svg>
  );
}

/** Hollow where there is little evidence. A line of no length with round ends: a circle would be stretched. */
function Dot({ point }: { readonly point: SparkPoint }) {
  const place = `M${x(point)} ${y(point.rate.value ?? 0)}h0`;
  const little = isLittle(point.rate);
  return (
    <>
      <path className={little ? "spark-dot is-little" : "spark-dot"} d={place} />
      {little ? <path className="spark-hole" d={place} /> : null}
    </>
  );
}

function alone(points: readonly SparkPoint[], point: SparkPoint): boolean {
  const index = points.indexOf(point);
  return [points[index - 1], points[index + 1]].every((other) => other === undefined || !known(other));
}
