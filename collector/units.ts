/**
 * What waits to be assembled: rows of `unassembled`.
 *
 * Arrivals mark `r:<run id>` (a span that states its run) or `t:<trace id>` (one that does not). Assembling marks the rest:
 *
 *     r:R       R is assembled; where traces of it hold spans without a run id → d:T
 *     t:T, d:T  the runs of T that no span states are assembled; for each run that spans of T state → x:R
 *     x:R       R is assembled, and nothing is marked
 *
 * What cannot be assembled waits aside as R:, X: or T: (`set-aside.ts`).
 *
 * So a span that arrives moves every other span that it concerns, and the chain ends. Each transaction takes units of
 * one level (r, then t and d, then x) and marks only the next one, and arrivals mark only what no
 * transaction of ours marks: nobody ever waits in a circle.
 */
import { type Kysely, sql } from "kysely";
import type { Database } from "../database/schema.ts";
import { arrayLiteral } from "./array-literal.ts";

export const LEVELS: readonly (readonly string[])[] = [["r:"], ["t:", "d:"], ["x:"]];

export const runUnit = (runId: string): string => `r:${runId}`;
export const traceUnit = (traceId: string): string => `t:${traceId}`;
export const retraceUnit = (traceId: string): string => `d:${traceId}`;
export const rerunUnit = (runId: string): string => `x:${runId}`;

/** The run or trace of a unit. */
export function subject(unit: string): string {
  return unit.slice(2);
}

/** Marks in sorted order; a mark that is just being worked on waits for that work, and is then made anew. */
export async function markUnits(
  trx: Kysely<Database>,
  projectId: number,
  units: Iterable<string>,
  now: Date,
): Promise<void> {
  const sorted = [...new Set(units)].sort();
  if (sorted.length === 0) return;
  await sql`
    insert into unassembled (project_id, unit, marked_at)
    select ${projectId}::integer, unit, ${now.toISOString()}::timestamptz
    from unnest(${arrayLiteral(sorted)}::text[]) as unit
    on conflict (project_id, unit) do update set marked_at = excluded.marked_at
  `.execute(trx);
}
