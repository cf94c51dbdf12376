import type { Kysely } from "kysely";
import type { Database } from "../../database/schema.ts";
import type { EpisodeKind } from "../episodes/types.ts";
import { type Counts, NO_COUNTS } from "../metrics/counts.ts";
import { callCounts, completionCounts, rejectedCounts } from "./call-counts.ts";
import { episodeCounts, toEpisodeCounts, transientCounts } from "./episode-counts.ts";
import type { GroupedRow, Level } from "./grouped.ts";
import type { Bounds } from "./relation.ts";
import { type GroupBy, NARROWING, type Scope } from "./scope.ts";

type Key = readonly (string | null)[];

/** What was counted for one group, with the same counts per risk class and per tool. */
export interface CountedGroup {
  /** Values of the grouped dimensions, in order. */
  readonly key: Key;
  readonly counts: Counts;
  readonly risks: readonly { readonly risk: string; readonly counts: Counts }[];
  /** Empty where the group is about one tool already. */
  readonly tools: readonly { readonly tool: string; readonly counts: Counts }[];
}

/**
 * Counts everything that metrics are made of, for each group of the scope.
 *
 * A group exists where calls exist; under a dimension that only failed calls have, where rejected calls or episodes do.
 * What it is counted among then comes from the group without that dimension. Without grouping there is exactly one.
 */
export async function countGroups(
  db: Kysely<Database>,
  scope: Scope,
  { groupBy, bounds }: { readonly groupBy: readonly GroupBy[]; readonly bounds: Bounds },
): Promise<CountedGroup[]> {
  const question = { groupBy, bounds, levels: ["group", "risk", "tool"] as const };
  const calls = await callCounts(db, scope, question);
  const rejected = await rejectedCounts(db, scope, question);
  const episodes = await episodeCounts(db, scope, question);
  const transient = index(await transientCounts(db, scope, question));
  const completion = index(await completionCounts(db, scope, question));
  const among = index(calls);
  const narrowed = index(rejected);
  const kinds = new Map(
    (["repair", "recovery", "denial"] as const).map((kind) => [
      kind,
      index(episodes.filter((row) => row.also[0] === kind)),
    ]),
  );
  const isBase = groupBy.map((by) => !NARROWING.has(by));

  const countsAt = (key: Key, level: Level, of: string | null): Counts => {
    const id = identity(key, level, of);
    const base = identity(
      key.filter((_, position) => isBase[position]),
      level,
      of,
    );
    const ofKind = (kind: EpisodeKind) => {
      const row = kinds.get(kind)?.get(id);
      return row === undefined ? NO_COUNTS[kind] : toEpisodeCounts(row);
    };
    return {
      calls: among.get(base) ?? NO_COUNTS.calls,
      rejected: narrowed.get(id) ?? NO_COUNTS.rejected,
      repair: ofKind("repair"),
      recovery: ofKind("recovery"),
      denial: ofKind("denial"),
      transient: transient.get(id) ?? NO_COUNTS.transient,
      completion: completion.get(base) ?? NO_COUNTS.completion,
    };
  };

  const existing: readonly GroupedRow<string>[] = isBase.every(Boolean)
    ? [...calls, ...episodes]
    : [...rejected, ...episodes];
  return [...groupKeys(existing).values()].map(({ key, risks, tools }) => {
    const counts = countsAt(key, "group", null);
    const fixedRisk = key[groupBy.indexOf("risk")];
    const riskClasses = typeof fixedRisk === "string" ? [fixedRisk] : [...risks].sort();
    return {
      key,
      counts,
      risks: riskClasses.map((risk) => ({
        risk,
        counts: typeof fixedRisk === "string" ? counts : countsAt(key, "risk", risk),
      })),
      tools: [...tools].sort().map((tool) => ({ tool, counts: countsAt(key, "tool", tool) })),
    };
  });
}

function identity(key: Key, level: Level, of: string | null): string {
  return JSON.stringify([level, of, key]);
}

function index<Column extends string>(rows: readonly GroupedRow<Column>[]) {
  return new Map(rows.map((row) => [identity(row.key, row.level, row.of), row.counts]));
}

/** The groups that rows speak of, each with its risk classes and tools. */
function groupKeys(rows: readonly GroupedRow<string>[]) {
  const groups = new Map<string, { key: Key; risks: Set<string>; tools: Set<string> }>();
  for (const { key, level, of } of rows) {
    const id = JSON.stringify(key);
    const group = groups.get(id) ?? { key, risks: new Set(), tools: new Set() };
    groups.set(id, group);
    if (level === "risk" && of !== null) group.risks.add(of);
    if (level === "tool" && of !== null) group.tools.add(of);
  }
  return groups;
}
