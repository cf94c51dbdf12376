/** Whether runs wait for a continuation that another run may have closed. */
import { type Kysely, sql } from "kysely";
import { continuationOf } from "../analytics/episodes/linker-rows.ts";
import { CLOSES, type ContinuationResult, isWaiting } from "../analytics/episodes/settle.ts";
import type { Database } from "../database/schema.ts";

export interface Continuations {
  /** Runs that wait for a continuation. */
  readonly open: ReadonlySet<string>;
  /**
   * Runs of which that depends on a run whose own linking is still to come: it marks them when it is done, or they saw
   * its calls already. They are compared when it has been linked.
   */
  readonly undecided: ReadonlySet<string>;
}

/** @param results - What the calls of each run say of continuations, by run id. */
export async function continuationsOf(
  trx: Kysely<Database>,
  projectId: number,
  results: ReadonlyMap<string, readonly ContinuationResult[]>,
): Promise<Continuations> {
  const byThemselves = [...results].filter(([, own]) => isWaiting(own));
  const ids = new Set(byThemselves.flatMap(([, own]) => own.map(({ continuationId }) => continuationId)));
  const closings = await closingsOf(trx, projectId, [...ids]);
  const open = new Set<string>();
  const undecided = new Set<string>();
  for (const [runId, own] of byThemselves) {
    const named = [...new Set(own.map(({ continuationId }) => continuationId))];
    const closed = named.flatMap((id) => closings.get(id) ?? []);
    const waitsNow = isWaiting([...own, ...closed.map(({ result }) => result)]);
    const linked = closed.filter(({ toBeLinked }) => !toBeLinked);
    if (waitsNow) open.add(runId);
    if (waitsNow !== isWaiting([...own, ...linked.map(({ result }) => result)])) undecided.add(runId);
  }
  return { open, undecided };
}

interface Closing {
  readonly result: ContinuationResult;
  readonly toBeLinked: boolean;
}

interface ClosingRow {
  readonly turn: number;
  readonly ordinal: number;
  readonly end_time: Date;
  readonly result_state: string | null;
  readonly continuation_id: string | null;
  readonly to_be_linked: boolean;
}

/** Calls of whatever run that close these continuations, by continuation id. */
async function closingsOf(
  trx: Kysely<Database>,
  projectId: number,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Closing[]>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<ClosingRow>`
    -- one row per call that closes one of the continuations
    select
      call.turn,
      call.ordinal,
      call.end_time,
      call.result_state,
      call.continuation_id,
      dirty_run.run_id is not null as to_be_linked
    from call
    left join dirty_run on dirty_run.project_id = call.project_id and dirty_run.run_id = call.run_id
    where call.project_id = ${projectId}
      and call.continuation_id = any(${ids}::text[])
      and call.result_state = any(${CLOSES}::text[])
  `.execute(trx);
  const closings = rows.flatMap((row) => {
    const result = continuationOf(row);
    return result === null ? [] : [{ result, toBeLinked: row.to_be_linked }];
  });
  return Map.groupBy(closings, ({ result }) => result.continuationId);
}
