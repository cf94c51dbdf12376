import type { Kysely } from "kysely";
import type { Database } from "../../../database/schema.ts";
import { RollupSums } from "../../../verification/rollup-sums.ts";

const TABLES = ["call_day", "call_hour", "episode_day", "episode_hour"] as const;
type Rollups = Readonly<Record<(typeof TABLES)[number], readonly object[]>>;

/** The rollups as they are stored, in a fixed order. */
export async function storedRollups(db: Kysely<Database>): Promise<Rollups> {
  const rows = async (table: keyof Rollups) =>
    sorted(
      (await db.selectFrom(table).selectAll().execute()).map(({ project_id: _, bucket, ...row }) => ({
        ...row,
        bucket: bucket.toISOString(),
      })),
    );
  return {
    call_day: await rows("call_day"),
    call_hour: await rows("call_hour"),
    episode_day: await rows("episode_day"),
    episode_hour: await rows("episode_hour"),
  };
}

/**
 * What they must be: sums over the rows of `run_count` and over rolled episodes, in the same order. Made in TypeScript,
 * by nothing that the linker's statements use.
 */
export async function expectedRollups(db: Kysely<Database>): Promise<Rollups> {
  const sums = new RollupSums();
  for (const count of await db.selectFrom("run_count").selectAll().execute()) sums.addCalls(count);
  for (const row of await db.selectFrom("episode").selectAll().where("rolled", "=", true).execute()) {
    sums.addEpisode(row);
  }
  return {
    call_day: sorted(sums.callRows("day")),
    call_hour: sorted(sums.callRows("hour")),
    episode_day: sorted(sums.episodeRows("day")),
    episode_hour: sorted(sums.episodeRows("hour")),
  };
}

function sorted(rows: readonly object[]): object[] {
  const inOneOrder = (row: object) => Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
  return rows
    .map(inOneOrder)
    .map((row) => ({ row, text: JSON.stringify(row) }))
    .sort((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ row }) => row);
}
