import type { EpisodeKind } from "../episodes/types.ts";
import { type Counts, NO_COUNTS } from "../metrics/counts.ts";
import { type CallCell, callCells } from "./call-cells.ts";
import {
  asksSeveralTools,
  boundsOf,
  type Cell,
  type DividedBy,
  type Division,
  divisionOf,
  type Key,
  keyBy,
  overTime,
} from "./cells.ts";
import { type CompletionCell, completionCells } from "./completion-cells.ts";
import { type EpisodeCell, episodeCells } from "./episode-cells.ts";
import type { Interval } from "./interval.ts";
import { type GroupBy, NARROWING } from "./scope.ts";
import type { Snapshot } from "./snapshot.ts";
import { add, addEpisodes, newCounts, type Sums } from "./sums.ts";

/** What was counted for one group, with the same counts per risk class and per tool. */
export interface CountedGroup {
  /** Values of the grouped dimensions, in order. */
  readonly key: Key;
  readonly counts: Counts;
  readonly risks: readonly { readonly risk: string; readonly counts: Counts }[];
  /** Empty where the group is about one tool already. */
  readonly tools: readonly { readonly tool: string; readonly counts: Counts }[];
  /** The episodes that the counts are of. */
  readonly episodes: Readonly<Record<EpisodeKind, readonly EpisodeCell[]>>;
}

/** Everything that one question looks at, in the finest parts. */
export interface Cells {
  readonly division: Division;
  readonly calls: readonly CallCell[];
  readonly episodes: readonly EpisodeCell[];
  /** Runs by their first call: to any tool, to the one tool that is asked for, or to any of the several that are. */
  readonly runs: readonly CompletionCell[];
}

/** Reads calls and episodes, divided by the dimensions; labels beyond the most frequent of one are `_other`. */
export async function readBounded(at: Snapshot, groupBy: readonly GroupBy[]): Promise<Cells> {
  return readCells(at, at.scope, { ...divisionOf(groupBy), bounds: await boundsOf(at, groupBy) });
}

/** Reads calls and episodes of an interval; one statement each. */
export async function readCells(at: Snapshot, interval: Interval, division: Division): Promise<Cells> {
  const calls = await callCells(at, interval, division);
  const episodes = await episodeCells(at, interval, division);
  if (await asksSeveralTools(at)) {
    return { division, calls, episodes, runs: await completionCells(at, interval, division) };
  }
  const ofOneTool = at.scope.filters.tool !== undefined;
  return {
    division,
    calls,
    episodes,
    runs: ofOneTool ? calls.map((cell) => ({ ...cell, runs: cell.toolRuns })) : calls,
  };
}

type Level = "group" | "risk" | "tool";

/**
 * Sums everything that metrics are made of, for each group by some of the dimensions that the cells are divided by.
 *
 * A group exists where calls exist; under a dimension that only failed calls have, where rejected calls or episodes do.
 * What it is counted among then comes from the group without that dimension. Without grouping there is exactly one.
 */
export function countGroups({ division, calls, episodes, runs }: Cells, groupBy: readonly DividedBy[]): CountedGroup[] {
  const positions = groupBy.map((by) => division.groupBy.indexOf(by));
  const isBase = groupBy.map((by) => !NARROWING.has(by));
  const narrows = isBase.includes(false);
  const counted = overTime(groupBy) ? (cell: Cell) => cell.timed : () => true;
  const keyOf = (cell: Cell): Key => positions.map((position) => cell.key[position] ?? null);
  const levels = [
    "group",
    ...(groupBy.includes("risk") ? [] : ["risk"]),
    ...(groupBy.includes("tool") ? [] : ["tool"]),
  ];
  const sums = new Map<string, Sums>();
  const sumsAt = (key: Key, level: Level, of: string | null): Sums => {
    const id = JSON.stringify([level, of, key]);
    const found = sums.get(id) ?? newCounts();
    sums.set(id, found);
    return found;
  };
  const groups = new Map<string, { key: Key; risks: Set<string>; tools: Set<string>; episodes: EpisodeCell[] }>();
  const groupOf = (key: Key, { risk, tool }: Cell) => {
    const id = JSON.stringify(key);
    const group = groups.get(id) ?? { key, risks: new Set(), tools: new Set(), episodes: [] };
    groups.set(id, group);
    if (risk !== null && levels.includes("risk")) group.risks.add(risk);
    if (tool !== null && levels.includes("tool")) group.tools.add(tool);
    return group;
  };
  const each = (cell: Cell, key: Key, put: (sums: Sums, level: Level) => void) => {
    put(sumsAt(key, "group", null), "group");
    if (cell.risk !== null && levels.includes("risk")) put(sumsAt(key, "risk", cell.risk), "risk");
    if (cell.tool !== null && levels.includes("tool")) put(sumsAt(key, "tool", cell.tool), "tool");
  };

  for (const cell of calls.filter(counted)) {
    const key = keyOf(cell);
    each(cell, keyBy(key, isBase), (found, level) => {
      add(found.calls, cell.calls);
      if (level === "tool" || groupBy.includes("tool")) add(found.completion, cell.toolRuns);
    });
    each(cell, key, (found) => add(found.rejected, cell.rejected));
    if (!narrows || cell.rejected.first + cell.rejected.repair > 0) groupOf(key, cell);
  }
  for (const cell of groupBy.includes("tool") ? [] : runs.filter(counted)) {
    each(cell, keyBy(keyOf(cell), isBase), (found, level) => {
      if (level !== "tool") add(found.completion, cell.runs);
    });
  }
  for (const cell of episodes.filter(counted)) {
    const key = keyOf(cell);
    each(cell, key, (found) => addEpisodes(found, cell));
    groupOf(key, cell).episodes.push(cell);
  }

  const countsAt = (key: Key, level: Level, of: string | null): Counts => {
    const base = sumsAt(keyBy(key, isBase), level, of);
    return { ...sumsAt(key, level, of), calls: base.calls, completion: base.completion };
  };
  return [...groups.values()].map(({ key, risks, tools, episodes }) => {
    const counts = countsAt(key, "group", null);
    const fixedRisk = key[groupBy.indexOf("risk")];
    return {
      key,
      counts,
      risks:
        typeof fixedRisk === "string"
          ? [{ risk: fixedRisk, counts }]
          : [...risks].sort().map((risk) => ({ risk, counts: countsAt(key, "risk", risk) })),
      tools: [...tools].sort().map((tool) => ({ tool, counts: countsAt(key, "tool", tool) })),
      episodes: {
        repair: episodes.filter(({ kind }) => kind === "repair"),
        recovery: episodes.filter(({ kind }) => kind === "recovery"),
        denial: episodes.filter(({ kind }) => kind === "denial"),
      },
    };
  });
}

/** The one group of a question that does not group; where there is nothing, everything is 0. */
export function countWhole(cells: Cells): CountedGroup {
  return countGroups(cells, [])[0] ?? EMPTY_GROUP;
}

const EMPTY_GROUP: CountedGroup = {
  ...{ key: [], counts: NO_COUNTS, risks: [], tools: [] },
  episodes: { repair: [], recovery: [], denial: [] },
};

/** How many runs from files without times the scope holds. */
export function runsWithoutTimes({ runs }: Cells): number {
  return runs.filter(({ timed }) => !timed).reduce((sum, cell) => sum + cell.runs.runs, 0);
}
