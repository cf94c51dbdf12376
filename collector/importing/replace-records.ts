/** Lines that say something else than when they were first read: other rules, another key, a corrected file. */
import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import { arrayLiteral, bytesCell } from "../array-literal.ts";
import { milliseconds } from "../assembly/order.ts";
import { BATCH_ROWS, timeCell } from "../insert-rows.ts";
import type { Observation } from "../records.ts";
import { markUnits, runUnit } from "../units.ts";

/**
 * Puts these records in the place of those stored under the same identity, which keep the time of their first arrival,
 * and marks their runs to be assembled anew. One transaction.
 */
export async function replaceRecords(
  db: Kysely<Database>,
  projectId: number,
  observations: readonly Observation[],
  now: Date,
): Promise<void> {
  if (observations.length === 0) return;
  await db.transaction().execute(async (trx) => {
    for (let from = 0; from < observations.length; from += BATCH_ROWS) {
      await updateBatch(trx, projectId, observations.slice(from, from + BATCH_ROWS));
    }
    const runIds = observations.map((observation) => observation.record.run_id).filter((id) => id !== undefined);
    await markUnits(trx, projectId, runIds.map(runUnit), now);
  });
}

async function updateBatch(trx: Kysely<Database>, projectId: number, observations: readonly Observation[]) {
  const column = (cell: (observation: Observation) => string) => arrayLiteral(observations.map(cell));
  await sql`
    update observation
    set record = sent.record::jsonb
    from unnest(
      ${column((o) => bytesCell(o.trace_id))}::bytea[],
      ${column((o) => bytesCell(o.span_id))}::bytea[],
      ${column((o) => timeCell(milliseconds(o.start_ns)))}::timestamptz[],
      ${column((o) => JSON.stringify(o.record))}::text[]
    ) as sent (trace_id, span_id, start_time, record)
    where observation.project_id = ${projectId}
      and observation.trace_id = sent.trace_id
      and observation.span_id = sent.span_id
      and observation.start_time = sent.start_time
  `.execute(trx);
}
