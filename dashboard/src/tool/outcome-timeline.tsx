/** How the runs of a tool's repair episodes ended, stacked per bucket, on the axis of the chart above. */
import { memo, useId } from "react";
import type { TimelineAnswer } from "../../../analytics/client/client.ts";
import { formatCount } from "../../../analytics/client/format.ts";
import { linearScale, roundUp } from "../kit/linear-scale.ts";
import { Mark } from "../kit/mark.tsx";
import type { TimeFlag } from "../kit/series.ts";
import { OUTCOME_SHAPES } from "../kit/tag.tsx";
import { PLOT_LEFT, PLOT_RIGHT, type TimeAxis, timeScale } from "../kit/time-axis.ts";
import { Cursor, Flags, PendingPattern, TimeLabels } from "../kit/time-marks.tsx";
import { useWidth } from "../kit/use-width.ts";
import { OUTCOMES } from "../kit/words.ts";

type Point = TimelineAnswer["points"][number];

interface OutcomeTimelineProps {
  readonly tool: string;
  readonly points: readonly Point[];
  readonly axis: TimeAxis;
  readonly flags: readonly TimeFlag[];
  readonly selected: string;
}

const HEIGHT = 132;
const TOP = 6;
const BOTTOM = 20;

/** Repair episodes of a bucket that have not settled: those that its rates of repair leave out. */
const pendingOf = ({ rates }: Point): number => rates.first_repair_rate.pending;

interface Piece {
  readonly name: string;
  readonly count: number;
  readonly from: number;
}

/** From the bottom: outcomes in their order, then what is pending. */
function piecesOf(point: Point): readonly Piece[] {
  let from = 0;
  const counts = [
    ...OUTCOMES.map((name) => ({ name: name as string, count: point.terminal_outcomes[name].numerator })),
    { name: "pending", count: pendingOf(point) },
  ];
  return counts.flatMap(({ name, count }) => {
    if (count === 0) return [];
    const piece = { name, count, from };
    from += count;
    return [piece];
  });
}

const heightOf = (point: Point): number => point.terminal_outcomes.completed.denominator + pendingOf(point);

export function OutcomeTimeline({ tool, points, axis, flags, selected }: OutcomeTimelineProps) {
  const [box, width] = useWidth<HTMLDivElement>(720);
  const id = useId();
  const top = roundUp(Math.max(1, ...points.map(heightOf)));
  const y = verticalScale(top);
  const ticks = [0, top / 2, top].filter(Number.isInteger);
  return (
    <div ref={box} className="time-chart">
      <svg width={width} height={HEIGHT} role="img" aria-labelledby={`${id}-t ${id}-d`}>
        <title id={`${id}-t`}>{`How the runs of ${tool} with a rejected call ended, per bucket`}</title>
        <desc id={`${id}-d`}>Settled repair episodes stacked by terminal outcome, pending ones striped on top.</desc>
        <PendingPattern id={`${id}-p`} />
        {ticks.map((tick) => (
          <g key={tick}>
            <line className="time-grid" x1={PLOT_LEFT} x2={width - PLOT_RIGHT} y1={y(tick)} y2={y(tick)} />
            <text className="time-label" x={PLOT_LEFT - 6} y={y(tick)} dy="0.32em" textAnchor="end">
              {formatCount(tick)}
            </text>
          </g>
        ))}
        <Bars points={points} axis={axis} width={width} top={top} stripes={`url(#${id}-p)`} />
        <TimeLabels axis={axis} width={width} y={HEIGHT - 4} />
        <Flags flags={flags} axis={axis} width={width} top={TOP} bottom={HEIGHT - BOTTOM} />
        <Cursor points={points} selected={selected} axis={axis} width={width} top={TOP} bottom={HEIGHT - BOTTOM} />
      </svg>
    </div>
  );
}

const verticalScale = (top: number) => linearScale([0, top], [HEIGHT - BOTTOM, TOP]);

interface BarsProps extends Pick<OutcomeTimelineProps, "points" | "axis"> {
  readonly width: number;
  /** The count at which the scale ends. */
  readonly top: number;
  /** What pending episodes are filled with. */
  readonly stripes: string;
}

/** All that a moving cursor does not change. */
const Bars = memo(function Bars({ points, axis, width, top, stripes }: BarsProps) {
  const x = timeScale(axis, width);
  const y = verticalScale(top);
  return points.map((point) => {
    const [left, right] = [x(Date.parse(point.start)), x(Date.parse(point.end))];
    const gap = right - left > 4 ? 1 : 0;
    return piecesOf(point).map(({ name, count, from }) => (
      <rect
        key={`${point.start} ${name}`}
        className={name === "pending" ? "time-pending" : `time-outcome fill-${name}`}
        {...(name === "pending" ? { fill: stripes } : {})}
        data-bucket={point.start}
        data-outcome={name}
        data-count={count}
        x={left}
        width={Math.max(1, right - left - gap)}
        y={y(from + count)}
        height={y(from) - y(from + count)}
      />
    ));
  });
});

/** Which piece is which, for those that occur. */
export function OutcomeTimelineKey({ points }: { readonly points: readonly Point[] }) {
  const some = OUTCOMES.filter((name) => points.some((point) => point.terminal_outcomes[name].numerator > 0));
  if (some.length === 0) return null;
  return (
    <ul className="outcome-legend" aria-label="From the bottom up: settled repair episodes whose run ended">
      <li className="quiet">settled repair episodes per bucket, from the bottom up, whose run ended</li>
      {some.map((name) => (
        <li key={name}>
          <Mark shape={OUTCOME_SHAPES[name]} tone={`outcome-${name}`} /> {name}
        </li>
      ))}
      {points.some((point) => pendingOf(point) > 0) ? (
        <li>
          <Mark shape="hatch" tone="quiet" /> pending
        </li>
      ) : null}
    </ul>
  );
}
