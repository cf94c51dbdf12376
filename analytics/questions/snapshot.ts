import type { Kysely } from "kysely";
import type { Database } from "../../database/schema.ts";

/** Asks all statements of one question of one state of the database, so that its numbers add up while runs are linked. */
export function snapshot<Answer>(
  db: Kysely<Database>,
  ask: (db: Kysely<Database>) => Promise<Answer>,
): Promise<Answer> {
  return db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(ask);
}
