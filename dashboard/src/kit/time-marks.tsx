/** What stands on every chart over time: labels of the axis, changes, the bucket that is looked at, stripes. */
import type { TimeFlag } from "./series.ts";
import { PLOT_LEFT, PLOT_RIGHT, type TimeAxis, tickText, timeScale, timeTicks } from "./time-axis.ts";

/** Days or minutes along the bottom. */
export function TimeLabels(props: { readonly axis: TimeAxis; readonly width: number; readonly y: number }) {
  const { axis, width, y } = props;
  const x = timeScale(axis, width);
  return timeTicks(axis, width).map((time) => (
    <text
      key={time}
      className="time-label"
      x={x(time)}
      y={y}
      textAnchor={x(time) < PLOT_LEFT + 28 ? "start" : x(time) > width - PLOT_RIGHT - 28 ? "end" : "middle"}
    >
      {tickText(time)}
    </text>
  ));
}

interface Vertical {
  readonly axis: TimeAxis;
  readonly width: number;
  readonly top: number;
  readonly bottom: number;
}

/** A letter for each change, and its name where the next flag leaves room for it. */
export function Flags({ flags, axis, width, top, bottom, named = false }: Vertical & FlagsProps) {
  const x = timeScale(axis, width);
  const places = flags.map(({ at }) => x(Math.min(Math.max(Date.parse(at), axis.from), axis.to)));
  return flags.map(({ at, letter, value, what }, index) => {
    const place = places[index]!;
    // Flags of one moment stand beside each other.
    const beside = places.slice(0, index).filter((other) => place - other < LETTER).length * LETTER;
    const start = Math.min(place + beside + 3, width - LETTER);
    const end = places.slice(index + 1).find((next) => next > place) ?? width;
    const name = `${letter} ${value}`;
    const alone = beside === 0 && !places.slice(index + 1).some((next) => next - place < LETTER);
    return (
      <g key={letter} className={`time-flag flag-${what}`} data-flag={letter} data-at={at}>
        <line x1={place} x2={place} y1={named ? top - 16 : top} y2={bottom} />
        {named ? (
          <text className="time-flag-text" x={start} y={top - 8}>
            {alone && end - start > name.length * CHARACTER ? name : letter}
          </text>
        ) : null}
      </g>
    );
  });
}
interface FlagsProps {
  readonly flags: readonly TimeFlag[];
  readonly named?: boolean;
}

/** Pixels of a letter with its gap, and of a character of a name. */
const LETTER = 12;
const CHARACTER = 6.6;

/** The bucket that is looked at, as a band over the whole height. */
export function Cursor({ points, selected, axis, width, top, bottom }: Vertical & CursorProps) {
  const point = points.find(({ start }) => start === selected);
  if (point === undefined) return null;
  const x = timeScale(axis, width);
  const [left, right] = [x(Date.parse(point.start)), x(Date.parse(point.end))];
  return <rect className="time-cursor" x={left} width={Math.max(1, right - left)} y={top} height={bottom - top} />;
}
interface CursorProps {
  readonly points: readonly { readonly start: string; readonly end: string }[];
  readonly selected: string | null;
}

/** Stripes: what is not settled yet. */
export function PendingPattern({ id }: { readonly id: string }) {
  return (
    <pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <line className="time-stripe" x1="0" x2="0" y1="0" y2="5" />
    </pattern>
  );
}
