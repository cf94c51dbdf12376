/** What to do when the database refuses a value: find whose it is, and store the others. */
import { type Kysely, sql } from "kysely";
import { errorCode } from "../database/errors.ts";
import type { Database } from "../database/schema.ts";

/** Class 22, data exception: a value of a row cannot be held (PostgreSQL manual, appendix A). */
export function isUnstorable(error: unknown): boolean {
  return errorCode(error)?.startsWith("22") === true;
}

/**
 * Inserts rows in halves of halves, so that a few bad ones among many cost a few statements.
 *
 * @param insert - One statement; its effect is undone where it throws.
 * @param refuse - Called for each row that the database cannot hold.
 * @returns what the inserts returned.
 * @throws every error that is no data exception.
 */
export async function insertEach<Row, Result>(
  trx: Kysely<Database>,
  rows: readonly Row[],
  insert: (rows: readonly Row[]) => Promise<readonly Result[]>,
  refuse: (row: Row, error: unknown) => void,
): Promise<Result[]> {
  if (rows.length === 0) return [];
  await sql`savepoint rows`.execute(trx);
  try {
    const results = await insert(rows);
    await sql`release savepoint rows`.execute(trx);
    return [...results];
  } catch (error) {
    if (!isUnstorable(error)) throw error;
    await sql`rollback to savepoint rows`.execute(trx);
    await sql`release savepoint rows`.execute(trx);
    if (rows.length === 1) {
      refuse(rows[0]!, error);
      return [];
    }
    const middle = rows.length >> 1;
    const first = await insertEach(trx, rows.slice(0, middle), insert, refuse);
    return first.concat(await insertEach(trx, rows.slice(middle), insert, refuse));
  }
}
