/** What of a long run is drawn: stretches of turns in which nothing failed fold into one line. Pure. */
import type { Lane, Place } from "./timeline.ts";

/** Shorter runs are shown whole. */
const FOLD_FROM = 30;
/** Fewer turns than this are not worth a line that says that they are hidden. */
const LEAST_FOLDED = 4;
/** One fold or one page opens at most so many turns at a time, so that a run of thousands stays quick. */
export const AT_ONCE = 100;

export type Row = { readonly lane: Lane } | { readonly folded: Stretch };

/** Turns that are not drawn. */
export interface Stretch {
  readonly first: number;
  readonly last: number;
  readonly turns: number;
  readonly calls: number;
  /** `quiet`: nothing failed in them; `rest`: they come after what is drawn so far. */
  readonly why: "quiet" | "rest";
}

export interface Opened {
  /** Ranges of turns that a reader opened, both ends included. */
  readonly ranges: readonly (readonly [number, number])[];
  /** Drawn however quiet its turn is. */
  readonly call: Place | null;
}

/** Lanes to draw, in order, with a line for each stretch that is not. */
export function rowsOf(lanes: readonly Lane[], { ranges, call }: Opened): Row[] {
  if (lanes.length <= FOLD_FROM) return lanes.map((lane) => ({ lane }));
  const turnOfCall = call === null ? null : Number.parseInt(call, 10);
  const opened = (turn: number) => turn === turnOfCall || ranges.some(([from, to]) => turn >= from && turn <= to);
  const kept = (lane: Lane, index: number) =>
    lane.eventful || opened(lane.turn.turn) || index === 0 || index === lanes.length - 1 || besideEvent(lanes, index);
  const rows: Row[] = [];
  let quiet: Lane[] = [];
  const close = () => {
    if (quiet.length >= LEAST_FOLDED) rows.push({ folded: stretchOf(quiet, "quiet") });
    else rows.push(...quiet.map((lane) => ({ lane })));
    quiet = [];
  };
  for (const [index, lane] of lanes.entries()) {
    if (!kept(lane, index)) {
      quiet.push(lane);
      continue;
    }
    close();
    rows.push({ lane });
  }
  close();
  return limited(rows, opened);
}

/** The turn before a failure and the turn after it show what led there and what came of it. */
function besideEvent(lanes: readonly Lane[], index: number): boolean {
  return (lanes[index - 1]?.eventful ?? false) || (lanes[index + 1]?.eventful ?? false);
}

/** A run in which everything fails folds nowhere: what is over the first hundreds waits for a click. */
function limited(rows: readonly Row[], opened: (turn: number) => boolean): Row[] {
  let room = 2 * AT_ONCE;
  let rest: Stretch[] = [];
  const out: Row[] = [];
  const close = () => {
    if (rest.length > 0) out.push({ folded: united(rest) });
    rest = [];
  };
  for (const row of rows) {
    const open = "lane" in row && opened(row.lane.turn.turn);
    if (!open && room === 0) {
      rest.push("folded" in row ? row.folded : stretchOf([row.lane], "rest"));
      continue;
    }
    close();
    out.push(row);
    if (!open && "lane" in row) room--;
  }
  close();
  return out;
}

function united(stretches: readonly Stretch[]): Stretch {
  const sum = (of: (stretch: Stretch) => number) => stretches.reduce((total, stretch) => total + of(stretch), 0);
  return {
    first: stretches[0]!.first,
    last: stretches.at(-1)!.last,
    turns: sum(({ turns }) => turns),
    calls: sum(({ calls }) => calls),
    why: stretches.every(({ why }) => why === "quiet") ? "quiet" : "rest",
  };
}

function stretchOf(lanes: readonly Lane[], why: Stretch["why"]): Stretch {
  return {
    first: lanes[0]!.turn.turn,
    last: lanes.at(-1)!.turn.turn,
    turns: lanes.length,
    calls: lanes.reduce((sum, { calls }) => sum + calls.length, 0),
    why,
  };
}

/** `3-36,80-90` of an address. What is no range is left out. */
export function rangesOf(text: string | null): [number, number][] {
  return (text ?? "").split(",").flatMap((part): [number, number][] => {
    const match = /^(\d{1,9})-(\d{1,9})$/.exec(part);
    return match === null ? [] : [[Number(match[1]), Number(match[2])]];
  });
}

/** The address's text with one more range; ranges that touch become one. */
export function withRange(text: string | null, first: number, last: number): string {
  const merged: [number, number][] = [];
  for (const [from, to] of [...rangesOf(text), [first, last] as const].toSorted((a, b) => a[0] - b[0])) {
    const before = merged.at(-1);
    if (before !== undefined && from <= before[1] + 1) before[1] = Math.max(before[1], to);
    else merged.push([from, to]);
  }
  return merged.map(([from, to]) => `${from}-${to}`).join(",");
}
