/** The rollups of one day beside the sums that they must hold. */
import { type Kysely, sql } from "kysely";
import type { Database } from "../database/schema.ts";
import { compareRows } from "./compare-rows.ts";
import type { Differences } from "./differences.ts";
import { type DayPart, isIn, isWholeDay, wholeHours } from "./range.ts";
import type { RollupSums } from "./rollup-sums.ts";

const CALL_KEY = ["bucket", "cohort_id"];
const EPISODE_KEY = [...CALL_KEY, "kind", "funnel_row", "terminal_outcome", "extra_model_turns"];

/** Compares the whole hours of the part, and the day where the part is all of it. */
export async function compareRollups(
  trx: Kysely<Database>,
  projectId: number,
  part: DayPart,
  sums: RollupSums,
  differences: Differences,
): Promise<void> {
  const compared = [
    { per: "hour", within: wholeHours(part) },
    ...(isWholeDay(part) ? [{ per: "day", within: part } as const] : []),
  ] as const;
  for (const { per, within } of compared) {
    if (within.from >= within.to) continue;
    const recomputed = (rows: readonly { readonly bucket: string }[]) =>
      rows.filter(({ bucket }) => isIn(Date.parse(bucket), within));
    for (const [table, key, rows] of [
      [`call_${per}`, CALL_KEY, sums.callRows(per)],
      [`episode_${per}`, EPISODE_KEY, sums.episodeRows(per)],
    ] as const) {
      const stored = await storedRows(trx, table, projectId, within);
      compareRows({ table, key, stored, recomputed: recomputed(rows) }, differences);
    }
  }
}

async function storedRows(
  trx: Kysely<Database>,
  table: "call_day" | "call_hour" | "episode_day" | "episode_hour",
  projectId: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<object[]> {
  const { rows } = await sql<object>`
    -- one row per bucket and key
    select * from ${sql.table(table)}
    where project_id = ${projectId}
      and bucket >= ${new Date(from)}::timestamptz
      and bucket < ${new Date(to)}::timestamptz
    order by ${sql.join((table.startsWith("call") ? CALL_KEY : EPISODE_KEY).map((column) => sql.ref(column)))}
  `.execute(trx);
  return rows;
}
