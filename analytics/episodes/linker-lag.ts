/** How far linking is behind, for gauges and for the `runs_waiting` of every answer. */
import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";

export interface Lag {
  /** Run ids and traces whose observations are not yet assembled into calls, without those that were set aside. */
  readonly waiting_to_assemble: number;
  /** Runs whose calls changed since they were linked. Their calls and episodes are in no rate. */
  readonly waiting_to_link: number;
  /** Since when the oldest of both waits; null where nothing waits. */
  readonly oldest_marked_at: Date | null;
}

export async function lag(db: Kysely<Database>, { projectId }: { projectId: number }): Promise<Lag> {
  const { rows } = await sql<Lag>`
    -- one row in all
    select
      count(*) filter (where stage = 'assemble')::int as waiting_to_assemble,
      count(*) filter (where stage = 'link')::int as waiting_to_link,
      min(marked_at) as oldest_marked_at
    from (
      -- one row per run id, trace or run that waits
      select 'assemble' as stage, marked_at
      from unassembled
      where project_id = ${projectId} and left(unit, 2) in ('r:', 't:', 'd:', 'x:')
      union all
      select 'link' as stage, marked_at from dirty_run where project_id = ${projectId}
    ) as waiting
  `.execute(db);
  return rows[0]!;
}
