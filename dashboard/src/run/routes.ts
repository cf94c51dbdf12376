/** Where arrows run: along tracks beside the lanes, and between the lanes to calls that others stand before. Pure. */
import type { Place, RepairLink } from "./timeline.ts";

/** A call's rectangle in CSS pixels, from the corner of the lanes. */
export interface Box {
  readonly place: Place;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Route {
  readonly link: RepairLink;
  /** The `d` of an SVG path. */
  readonly path: string;
  readonly start: Point;
  readonly end: Point;
  /** Which way the head points. */
  readonly heading: "right" | "down";
}

export type Point = readonly [x: number, y: number];

/** Room between tracks, where there is enough of it. */
const TRACK = 9;
/** Clear of the tracks: what is left for heads and start marks. */
const APPROACH = 14;
const CORNER = 4;
/** From a call's edge to the line that runs above or below it. */
const CLEARANCE = 6;
/** Arrows arrive and leave at different heights, so that a call can be both an attempt and an opening. */
const ARRIVES = 14;
const LEAVES = 26;

/** Width of the gutter that so many tracks need. */
export function gutterOf(tracks: number, most: number): number {
  return tracks === 0 ? 0 : Math.min(most, APPROACH + 4 + tracks * TRACK);
}

/**
 * The arrows whose two ends are drawn.
 *
 * @param gutter left edge and width of the room for tracks
 */
export function routesOf(
  links: readonly RepairLink[],
  boxes: readonly Box[],
  gutter: { readonly left: number; readonly width: number; readonly tracks: number },
): Route[] {
  const byPlace = new Map(boxes.map((box) => [box.place, box]));
  const room = Math.max(0, gutter.width - APPROACH);
  const spacing = Math.min(TRACK, room / Math.max(1, gutter.tracks));
  return links.flatMap((link): Route[] => {
    const [from, to] = [byPlace.get(link.from), byPlace.get(link.to)];
    if (from === undefined || to === undefined) return [];
    const direct = directly(from, to, boxes);
    if (direct !== null)
      return [{ link, path: rounded(direct), start: direct[0]!, end: direct.at(-1)!, heading: "down" }];
    const x = gutter.left + room - spacing * (link.track + 0.5);
    const leaving = leave(from, boxes);
    const arriving = arrive(to, boxes);
    const points: Point[] = [...leaving, [x, leaving.at(-1)![1]], [x, arriving[0]![1]], ...arriving];
    const heading = arriving.length === 1 ? "right" : "down";
    return [{ link, path: rounded(points), start: points[0]!, end: points.at(-1)!, heading }];
  });
}

/** Between two calls that both have others to their left, and nothing between them: no way round by the gutter. */
function directly(from: Box, to: Box, boxes: readonly Box[]): Point[] | null {
  const [bottom, top] = [from.top + from.height, to.top];
  if (bottom >= top || isFirst(from, boxes) || isFirst(to, boxes)) return null;
  if (boxes.some((box) => box.top < top && bottom < box.top + box.height)) return null;
  const between = (bottom + top) / 2;
  const [leaves, arrives] = [from.left + 12, to.left + 24];
  return [
    [leaves, bottom],
    [leaves, between],
    [arrives, between],
    [arrives, top],
  ];
}

/** Out of the left edge; where another call stands to the left, out of the lower edge and along below it. */
function leave(box: Box, boxes: readonly Box[]): Point[] {
  if (isFirst(box, boxes)) return [[box.left, box.top + Math.min(LEAVES, box.height - 8)]];
  const bottom = box.top + box.height;
  return [
    [box.left + 12, bottom],
    [box.left + 12, bottom + CLEARANCE],
  ];
}

/** Into the left edge; where another call stands to the left, along above it and into the upper edge. */
function arrive(box: Box, boxes: readonly Box[]): Point[] {
  if (isFirst(box, boxes)) return [[box.left, box.top + Math.min(ARRIVES, box.height / 2)]];
  return [
    [box.left + 24, box.top - CLEARANCE],
    [box.left + 24, box.top],
  ];
}

function isFirst(box: Box, boxes: readonly Box[]): boolean {
  return !boxes.some(
    (other) => other.left < box.left && other.top < box.top + box.height && box.top < other.top + other.height,
  );
}

/** A line through the points with its corners rounded. */
function rounded(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const parts = [`M${text(first!)}`];
  for (const [index, corner] of rest.entries()) {
    const next = rest[index + 1];
    if (next === undefined) {
      parts.push(`L${text(corner)}`);
      continue;
    }
    const before = points[index]!;
    const radius = Math.min(CORNER, distance(before, corner) / 2, distance(corner, next) / 2);
    parts.push(`L${text(toward(corner, before, radius))}`, `Q${text(corner)} ${text(toward(corner, next, radius))}`);
  }
  return parts.join("");
}

function text([x, y]: Point): string {
  return `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`;
}

function distance([x, y]: Point, [toX, toY]: Point): number {
  return Math.hypot(toX - x, toY - y);
}

function toward([x, y]: Point, [toX, toY]: Point, length: number): Point {
  const whole = distance([x, y], [toX, toY]);
  return whole === 0 ? [x, y] : [x + ((toX - x) * length) / whole, y + ((toY - y) * length) / whole];
}
