/** One rate over time: a line with its interval as a band, gaps where there is no evidence, changes as flags. */
import { area, line } from "d3-shape";
import { memo, useId } from "react";
import { formatPercent } from "../../../analytics/client/format.ts";
import { isLittle } from "./interval-bar.tsx";
import { linearScale } from "./linear-scale.ts";
import { type SeriesPoint, segmentsOf, type TimeFlag, topOf } from "./series.ts";
import { PLOT_LEFT, PLOT_RIGHT, type TimeAxis, timeScale } from "./time-axis.ts";
import { Cursor, Flags, PendingPattern, TimeLabels } from "./time-marks.tsx";
import { useWidth } from "./use-width.ts";
import "./time-series.css";

interface TimeSeriesProps {
  readonly points: readonly SeriesPoint[];
  readonly axis: TimeAxis;
  /** Says what is drawn to who does not see it. */
  readonly title: string;
  readonly description: string;
  readonly flags?: readonly TimeFlag[];
  readonly height?: number;
  /** Start of the bucket that is looked at. */
  readonly selected?: string | null;
}

const TOP = 20;
const BOTTOM = 20;
/** Above this many buckets only points that a line cannot show are drawn. */
const MOST_POINTS = 120;

export function TimeSeries(props: TimeSeriesProps) {
  const { points, axis, title, description, flags = [], height = 200, selected = null } = props;
  const [box, width] = useWidth<HTMLDivElement>(720);
  const id = useId();
  const top = topOf(points);
  const y = verticalScale(points, height);
  return (
    <div ref={box} className="time-chart">
      <svg width={width} height={height} role="img" aria-labelledby={`${id}-t ${id}-d`} data-top={top}>
        <title id={`${id}-t`}>{title}</title>
        <desc id={`${id}-d`}>{description}</desc>
        <PendingPattern id={`${id}-p`} />
        {[0, top / 2, top].map((tick) => (
          <g key={tick}>
            <line className="time-grid" x1={PLOT_LEFT} x2={width - PLOT_RIGHT} y1={y(tick)} y2={y(tick)} />
            <text className="time-label" x={PLOT_LEFT - 6} y={y(tick)} dy="0.32em" textAnchor="end">
              {formatPercent(tick)}
            </text>
          </g>
        ))}
        <TimeLabels axis={axis} width={width} y={height - 4} />
        <Curve points={points} axis={axis} width={width} height={height} stripes={`url(#${id}-p)`} />
        <Flags flags={flags} axis={axis} width={width} top={TOP} bottom={height - BOTTOM} named />
        <Cursor points={points} selected={selected} axis={axis} width={width} top={TOP} bottom={height - BOTTOM} />
      </svg>
    </div>
  );
}

const verticalScale = (points: readonly SeriesPoint[], height: number) =>
  linearScale([0, topOf(points)], [height - BOTTOM, TOP]);

interface CurveProps extends Pick<TimeSeriesProps, "points" | "axis"> {
  readonly width: number;
  readonly height: number;
  /** What buckets with pending episodes are marked with. */
  readonly stripes: string;
}

/** All that a moving cursor does not change. */
const Curve = memo(function Curve({ points, axis, width, height, stripes }: CurveProps) {
  const x = timeScale(axis, width);
  const y = verticalScale(points, height);
  const at = (point: SeriesPoint) => x(middle(point));
  return (
    <>
      {points.map((point) =>
        point.rate.pending === 0 ? null : (
          <rect
            key={point.start}
            className="time-pending"
            fill={stripes}
            x={x(Date.parse(point.start))}
            width={Math.max(1, x(Date.parse(point.end)) - x(Date.parse(point.start)))}
            y={y(0) - 8}
            height={8}
            data-pending={point.rate.pending}
          />
        ),
      )}
      {segmentsOf(points).map((segment) => (
        <Segment key={segment[0]!.start} segment={segment} at={at} y={y} all={points.length <= MOST_POINTS} />
      ))}
    </>
  );
});

interface SegmentProps {
  readonly segment: readonly SeriesPoint[];
  readonly at: (point: SeriesPoint) => number;
  readonly y: (value: number) => number;
  readonly all: boolean;
}

function Segment({ segment, at, y, all }: SegmentProps) {
  const low = (point: SeriesPoint) => y(point.rate.interval?.low ?? 0);
  const high = (point: SeriesPoint) => y(point.rate.interval?.high ?? 1);
  const value = (point: SeriesPoint) => y(point.rate.value ?? 0);
  const [only, second] = segment;
  const alone = only !== undefined && second === undefined;
  return (
    <g data-segment={segment.length}>
      {alone ? (
        <line className="time-whisker" x1={at(only)} x2={at(only)} y1={low(only)} y2={high(only)} />
      ) : (
        <>
          <path className="time-band" d={area<SeriesPoint>().x(at).y0(low).y1(high)(segment) ?? ""} />
          <path className="time-line" d={line<SeriesPoint>().x(at).y(value)(segment) ?? ""} />
        </>
      )}
      {segment.map((point) =>
        all || alone ? (
          <circle
            key={point.start}
            className={`time-point ${isLittle(point.rate) ? "is-little" : ""}`}
            cx={at(point)}
            cy={value(point)}
            r={isLittle(point.rate) ? 2.75 : 2.5}
            data-start={point.start}
          />
        ) : null,
      )}
    </g>
  );
}

const middle = ({ start, end }: SeriesPoint): number => (Date.parse(start) + Date.parse(end)) / 2;
