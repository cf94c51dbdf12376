import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import type { Scope } from "./scope.ts";
import { type Waiting, waitingRuns } from "./waiting.ts";

/** One state of the database, and what one question asks of it. */
export interface Snapshot<Asked extends Scope = Scope> {
  readonly db: Kysely<Database>;
  readonly scope: Asked;
  readonly waiting: Waiting;
}

/** Asks all statements of one question of one state of the database, so that its numbers add up while runs are linked. */
export function snapshot<Answer, Asked extends Scope>(
  db: Kysely<Database>,
  scope: Asked,
  ask: (at: Snapshot<Asked>) => Promise<Answer>,
): Promise<Answer> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (db) => {
      await sql`select ${sql.join(PLANNING)}`.execute(db);
      return ask({ db, scope, waiting: await waitingRuns(db, scope.projectId) });
    });
}

/**
 * For the transaction only. Answers sum some ten thousand rows into some hundred, which Postgres cannot foresee over a
 * union: it would sort them all first for fear of a large hash table. And compiling the sums takes longer than summing.
 */
const PLANNING = [
  sql`set_config('work_mem', '32MB', true)`,
  sql`set_config('hash_mem_multiplier', '32', true)`,
  sql`set_config('jit', 'off', true)`,
];
