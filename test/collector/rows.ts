import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";

export interface Rows {
  readonly run: object[];
  readonly turn: object[];
  readonly call: object[];
}

/** What was assembled for a project, in a fixed order, without the columns named. */
export async function assembledRows(db: Kysely<Database>, projectId: number, without: string[] = []): Promise<Rows> {
  const read = async (table: "run" | "turn" | "call", order: string) => {
    const { rows } = await sql<{ row: object }>`
      -- one row per run, turn or call
      select to_jsonb(t) - 'project_id' - ${without}::text[] as row
      from ${sql.table(table)} as t
      where project_id = ${projectId}
      order by ${sql.raw(order)}
    `.execute(db);
    return rows.map(({ row }) => row);
  };
  return {
    run: await read("run", "run_id"),
    turn: await read("turn", "run_id, turn"),
    call: await read("call", "run_id, turn, ordinal"),
  };
}

export const ARRIVALS = ["received_at", "first_received_at", "last_received_at"];
