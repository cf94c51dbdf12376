/** Moves along the buckets of the charts under it: by pointer, by finger, by arrow keys; a reader hears each bucket. */
import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import type { TimelineAnswer } from "../../../analytics/client/client.ts";
import { nearestTo, type TimeAxis, timeScale } from "../kit/time-axis.ts";

type Point = TimelineAnswer["points"][number];

interface BucketSliderProps {
  readonly points: readonly Point[];
  readonly axis: TimeAxis;
  readonly selected: string;
  readonly select: (start: string) => void;
  readonly text: (point: Point) => string;
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };

export function BucketSlider({ points, axis, selected, select, text }: BucketSliderProps) {
  const box = useRef<HTMLDivElement>(null);
  const index = Math.max(
    0,
    points.findIndex(({ start }) => start === selected),
  );
  function go(to: number) {
    const point = points[Math.min(Math.max(to, 0), points.length - 1)];
    if (point !== undefined && point.start !== selected) select(point.start);
  }
  function key(event: KeyboardEvent) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const to = event.key === "Home" ? 0 : event.key === "End" ? points.length - 1 : index + (STEPS[event.key] ?? 0);
    if (to === index && STEPS[event.key] === undefined) return;
    event.preventDefault();
    go(to);
  }
  function point(event: PointerEvent) {
    const place = box.current?.getBoundingClientRect();
    if (place === undefined) return;
    const time = timeScale(axis, Math.floor(place.width)).invert(event.clientX - place.left);
    go(nearestTo(points, time));
  }
  return (
    <div
      ref={box}
      className="bucket-slider"
      role="slider"
      tabIndex={0}
      aria-label="Bucket of the charts"
      aria-valuemin={0}
      aria-valuemax={points.length - 1}
      aria-valuenow={index}
      aria-valuetext={points[index] === undefined ? "" : text(points[index])}
      onKeyDown={key}
      onPointerMove={point}
      onPointerDown={point}
    />
  );
}
