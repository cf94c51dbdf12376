/**
 * Units that cannot be assembled: an observation of theirs brings about an error every time. They are set aside, so that
 * all others go on, and tried again when observations of theirs arrive (these mark the unit anew) or a process starts.
 * Set aside, a unit is a row of `unassembled` too, under its kind in upper case.
 */
import { type Kysely, sql } from "kysely";
import { errorCode, isConnectionLost, isMissingPartition } from "../database/errors.ts";
import type { Database } from "../database/schema.ts";
import { arrayLiteral } from "./array-literal.ts";
import { markUnits, subject } from "./units.ts";

/** What assembling a unit does is also done by these, so that they take its mark away: `d:` is `t:` begun by another. */
const SET_ASIDE_BY_KIND: Readonly<Record<string, readonly string[]>> = {
  "r:": ["R:", "X:"],
  "x:": ["X:"],
  "t:": ["T:"],
  "d:": ["T:"],
};
const KINDS = ["R:", "X:", "T:"];
const isSetAside = sql`left(unit, 2) = any(${arrayLiteral(KINDS)}::text[])`;

/** The rows under which units may have been set aside before. */
export function earlierSetAside(units: readonly string[]): string[] {
  return units.flatMap((unit) => SET_ASIDE_BY_KIND[unit.slice(0, 2)]!.map((kind) => kind + subject(unit)));
}

/** @param unit - One that this transaction has claimed, so that nobody has marked it since. */
export async function setAside(trx: Kysely<Database>, projectId: number, unit: string, now: Date): Promise<void> {
  const kind = SET_ASIDE_BY_KIND[unit.slice(0, 2)]![0]!;
  await markUnits(trx, projectId, [kind + subject(unit)], now);
}

/** Lets what was set aside be tried once more. */
export async function retrySetAside(db: Kysely<Database>, projectId: number, now: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ unit: string }>`
      -- one row per unit that was set aside; what another process holds is being tried there
      delete from unassembled
      where project_id = ${projectId} and unit = any(array(
        select unit from unassembled where project_id = ${projectId} and ${isSetAside} for update skip locked
      ))
      returning unit
    `.execute(trx);
    const again = rows.map(({ unit }) => unit.slice(0, 2).toLowerCase() + subject(unit));
    await markUnits(trx, projectId, again, now);
  });
}

export async function countSetAside(db: Kysely<Database>, projectId: number): Promise<number> {
  const { rows } = await sql<{ units: number }>`
    -- one row in all
    select count(*)::int as units from unassembled where project_id = ${projectId} and ${isSetAside}
  `.execute(db);
  return rows[0]!.units;
}

/**
 * Whether what observations say may have brought an error about. Other errors concern every unit alike. Of SQLSTATEs
 * the classes 22 (data), 23 (constraint) and 54 (limits) do (PostgreSQL manual, appendix A).
 */
export function isOfData(error: unknown): boolean {
  if (isConnectionLost(error) || isMissingPartition(error)) return false;
  const code = errorCode(error);
  return code === undefined || !/^[0-9A-Z]{5}$/.test(code) || /^(22|23|54)/.test(code);
}
