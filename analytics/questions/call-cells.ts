import { type RawBuilder, sql } from "kysely";
import type { CallCounts, CompletionCounts, RejectedCounts } from "../metrics/counts.ts";
import { type Cell, cellOf, type Division, summed } from "./cells.ts";
import type { Interval } from "./interval.ts";
import { filtered, hasNarrowing, narrowed } from "./relation.ts";
import { rolledCalls } from "./rolled-calls.ts";
import type { Snapshot } from "./snapshot.ts";

/** Calls that are counted among, rejected calls that every filter narrows, and runs where their first call stands. */
export interface CallCell extends Cell {
  readonly calls: CallCounts;
  readonly rejected: RejectedCounts;
  /** By the first call of the run. */
  readonly runs: CompletionCounts;
  /** By the first call of the run to the tool. */
  readonly toolRuns: CompletionCounts;
}

/** Doubles hold whole numbers up to 2^53 exactly, and are summed in half the time of 64-bit integers. */
const total = (column: string): RawBuilder<unknown> => sql`sum(${sql.ref(`c.${column}`)}::float8)`;
const totalWhere = (column: string, condition: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`coalesce(sum(${sql.ref(`c.${column}`)}::float8) filter (where ${condition}), 0)`;

const SAME = [
  ...["calls", "results", "first_accepted", "first_rejected", "repair_accepted", "repair_rejected"],
  ...["repair_unknown", "unpaired_unknown", "not_validated", "corrected", "against_schema", "inferred_turns"],
  ...["runs", "runs_ended", "runs_known", "runs_completed"],
  ...["tool_runs", "tool_runs_ended", "tool_runs_known", "tool_runs_completed"],
];

/**
 * Calls of the interval. Filters that only failed calls have narrow `rejected` alone; a division by such a dimension
 * divides all counts, and what they are counted among is then summed over it.
 */
export async function callCells(at: Snapshot, interval: Interval, division: Division): Promise<CallCell[]> {
  const { db, scope } = at;
  const rejected = (column: string) => (hasNarrowing(scope) ? totalWhere(column, narrowed(scope)) : total(column));
  const { rows } = await summed({
    ...{ scope, division, also: [] },
    from: rolledCalls(at, interval, division.grain),
    where: filtered(scope, { narrowing: false }),
    sums: [
      ...SAME.map((name) => ({ name, value: total(name) })),
      { name: "first_rejected_parse", value: totalWhere("first_rejected", sql`k.failure_class = 'malformed'`) },
      {
        name: "first_rejected_schema",
        value: totalWhere("first_rejected", sql`k.failure_class in ('schema', 'unknown_tool')`),
      },
      { name: "first", value: rejected("first_rejected") },
      { name: "repair", value: rejected("repair_rejected") },
    ],
  }).execute(db);
  return rows
    .filter(({ calls }) => calls !== 0)
    .map((row) => {
      const count = (name: string) => row[name] as number;
      const runs = (of: "runs" | "tool_runs"): CompletionCounts => ({
        runs: count(of),
        ended: count(`${of}_ended`),
        known: count(`${of}_known`),
        completed: count(`${of}_completed`),
      });
      return {
        ...cellOf(row, division),
        calls: {
          calls: count("calls"),
          results: count("results"),
          first_accepted: count("first_accepted"),
          first_rejected: count("first_rejected"),
          first_rejected_parse: count("first_rejected_parse"),
          first_rejected_schema: count("first_rejected_schema"),
          repair_accepted: count("repair_accepted"),
          repair_rejected: count("repair_rejected"),
          repair_unknown: count("repair_unknown"),
          unpaired_unknown: count("unpaired_unknown"),
          not_validated: count("not_validated"),
          corrected: count("corrected"),
          against_schema: count("against_schema"),
          inferred_turns: count("inferred_turns"),
        },
        rejected: { first: count("first"), repair: count("repair") },
        runs: runs("runs"),
        toolRuns: runs("tool_runs"),
      };
    });
}
