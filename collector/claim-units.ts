/** Which units one transaction assembles. */
import { type Kysely, sql } from "kysely";
import type { Database } from "../database/schema.ts";
import { arrayLiteral } from "./array-literal.ts";
import { observationsByRun, observationsByTrace } from "./load-observations.ts";
import { earlierSetAside } from "./set-aside.ts";
import { subject } from "./units.ts";

export interface Bounds {
  readonly units: number;
  /** Reached, no further unit is taken; one unit alone may have more. */
  readonly observations: number;
}

/** Takes units off the list, up to the end of this transaction; those whose run or trace another one holds stay. */
export async function claimUnits(
  trx: Kysely<Database>,
  level: readonly string[],
  projectId: number,
  bounds: Bounds,
): Promise<string[]> {
  const { rows: waiting } = await sql<{ unit: string }>`
    -- one row per unit
    select unit
    from unassembled
    where project_id = ${projectId} and left(unit, 2) = any(${arrayLiteral(level)}::text[])
    order by marked_at, unit
    limit ${bounds.units}
    for update skip locked
  `.execute(trx);
  if (waiting.length === 0) return [];
  const ofTraces = level.includes("t:");
  const sizes = await (ofTraces ? observationsByTrace : observationsByRun)(
    trx,
    projectId,
    waiting.map(({ unit }) => subject(unit)),
  );
  const byLock = new Map<string, string[]>();
  let observations = 0;
  for (const { unit } of waiting) {
    if (observations >= bounds.observations) break;
    const lock = `mulligan/${projectId}/${ofTraces ? "trace" : "run"}/${subject(unit)}`;
    const sharing = byLock.get(lock);
    if (sharing !== undefined) sharing.push(unit);
    else {
      byLock.set(lock, [unit]);
      observations += sizes.get(subject(unit)) ?? 0;
    }
  }
  const locks = await sql<{ name: string; held: boolean }>`
    -- one row per run or trace
    select name, pg_try_advisory_xact_lock(hashtextextended(name, 0)) as held
    from unnest(${arrayLiteral([...byLock.keys()])}::text[]) as name
  `.execute(trx);
  const units = locks.rows.filter((lock) => lock.held).flatMap((lock) => byLock.get(lock.name)!);
  await sql`
    delete from unassembled
    where project_id = ${projectId} and unit = any(array(
      select unit
      from unassembled
      where project_id = ${projectId} and unit = any(${arrayLiteral([...units, ...earlierSetAside(units)])}::text[])
      for update skip locked
    ))
  `.execute(trx);
  return units;
}
