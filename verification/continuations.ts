/** Whether runs wait for a continuation that another run may have closed. */
import { type Kysely, sql } from "kysely";
import { continuationOf } from "../analytics/episodes/linker-rows.ts";
import { CLOSES, type ContinuationResult, isWaiting } from "../analytics/episodes/settle.ts";
import type { Database } from "../database/schema.ts";

export interface Continuations {
  /** Runs that wait for a continuation. */
  readonly open: ReadonlySet<string>;
  /**
   * Runs that a run whose own linking is still to come may open or close a continuation of, or may have: it marks them
   * when it is done, or they saw its calls already. They are compared when it has been linked.
   */
  readonly undecided: ReadonlySet<string>;
}

/** @param results - What the calls of each run that has not ended say of continuations, by run id. */
export async function continuationsOf(
  trx: Kysely<Database>,
  projectId: number,
  results: ReadonlyMap<string, readonly ContinuationResult[]>,
): Promise<Continuations> {
  const byThemselves = [...results].filter(([, own]) => isWaiting(own));
  const ids = new Set(byThemselves.flatMap(([, own]) => own.map(({ continuationId }) => continuationId)));
  const closings = await closingsOf(trx, projectId, [...ids]);
  const toBeLinked = await mentionedByRunsToLink(trx, projectId, [...ids]);
  const open = new Set<string>();
  const undecided = new Set<string>();
  for (const [runId, own] of byThemselves) {
    const named = [...new Set(own.map(({ continuationId }) => continuationId))];
    if (isWaiting([...own, ...named.flatMap((id) => closings.get(id) ?? [])])) open.add(runId);
    if (named.some((id) => toBeLinked.has(id))) undecided.add(runId);
  }
  return { open, undecided };
}

interface ClosingRow {
  readonly turn: number;
  readonly ordinal: number;
  readonly end_time: Date;
  readonly result_state: string | null;
  readonly continuation_id: string | null;
}

/** Calls of whatever run that close these continuations, by continuation id. */
async function closingsOf(
  trx: Kysely<Database>,
  projectId: number,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ContinuationResult[]>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<ClosingRow>`
    -- one row per call that closes one of the continuations
    select turn, ordinal, end_time, result_state, continuation_id
    from call
    where project_id = ${projectId}
      and continuation_id = any(${ids}::text[])
      and result_state = any(${CLOSES}::text[])
  `.execute(trx);
  const closings = rows.map(continuationOf).filter((result) => result !== null);
  return Map.groupBy(closings, ({ continuationId }) => continuationId);
}

/** Those of the continuations of which a call of a run that waits to be linked speaks, in whatever state. */
async function mentionedByRunsToLink(
  trx: Kysely<Database>,
  projectId: number,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ continuation_id: string }>`
    -- one row per continuation
    select distinct call.continuation_id
    from call
    join dirty_run on dirty_run.project_id = call.project_id and dirty_run.run_id = call.run_id
    where call.project_id = ${projectId} and call.continuation_id = any(${ids}::text[])
  `.execute(trx);
  return new Set(rows.map(({ continuation_id }) => continuation_id));
}
