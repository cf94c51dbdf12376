/** A database of an earlier version, brought up to date, answers with the same numbers. */
import { Kysely, PostgresDialect, sql } from "kysely";
import { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { linkPending } from "../../analytics/episodes/linker.ts";
import { applySettings } from "../../analytics/episodes/linker-settings.ts";
import { type Connection, connect } from "../../database/connect.ts";
import { openEmbedded } from "../../database/embedded.ts";
import { migrate } from "../../database/migrate.ts";
import type { Database } from "../../database/schema.ts";
import { migrations } from "../../migrations/index.ts";
import { expectedRollups, storedRollups } from "../analytics/episodes/found-rollups.ts";
import { findStored } from "../analytics/episodes/found-rows.ts";
import { PROJECT, storeRun } from "../analytics/episodes/run-rows.ts";
import { NOW, readVectors, resultsOf, runOf, settingsOf } from "../analytics/episodes/vector-run.ts";
import { failuresOf } from "../analytics/episodes/vectors.ts";

const clock = () => new Date(NOW);
const vectors = readVectors("scenarios.json");
const one = vectors.find(({ name }) => name === "repaired-next-turn")!;

/** What the first version wrote of a run, in the columns that the next one takes away. */
const LINKED_BEFORE = [
  sql`
    insert into episode (
      project_id, run_id, kind, turn, ordinal, opened_at, tool, failure_class, risk, attempts, repaired, decided,
      settles_at, first_repair, eventual_repair, late_repair, unchanged_steps, steps, next_action, funnel_row,
      terminal_outcome, extra_model_turns, attributed_model_turns, shares, shares_with_input_tokens,
      shares_with_output_tokens
    ) values (
      ${PROJECT}, ${one.name}, 'repair', 0, 0, ${clock()}, 'search', 'schema', 'unstated', 1, true, true, '-infinity',
      true, true, false, 0, 1, 'repaired_next_turn', 'repaired_turn_1', 'completed', 1, 1, 1, 0, 0
    )`,
  sql`insert into attempt values (${PROJECT}, ${one.name}, 'repair', 0, 0, 1, 1, 0, 'digest')`,
  sql`
    insert into run_count values (
      ${PROJECT}, ${one.name}, ${clock()}, ${clock()}, 'search', null, null, null, null, null, null, null, null, null,
      null, 'unstated', null, 2, 2, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0
    )`,
];

let connection: Connection;
beforeAll(async () => {
  const embedded = await openEmbedded({});
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: new Pool(embedded.pool) }) });
  await migrate(db, { "0001_spine": migrations["0001_spine"]! });
  for (const vector of vectors) {
    await storeRun(db, { runId: vector.name, run: runOf(vector, false), results: resultsOf(vector) }, clock());
  }
  for (const statement of LINKED_BEFORE) await statement.execute(db);
  await db.deleteFrom("dirty_run").execute();
  await db.destroy();
  const dump = await embedded.dump();
  await embedded.close();
  connection = await connect({ dump });
});
afterAll(() => connection?.close());

test("a database of runs that were linked before there were rollups has every run linked anew, to what the vectors say", async () => {
  const { db } = connection;
  expect(await migrate(db)).toEqual(Object.keys(migrations).slice(1));
  for (const table of ["episode", "attempt", "run_count"] as const) {
    expect(await db.selectFrom(table).select("run_id").execute(), table).toEqual([]);
  }
  const dirty = await db.selectFrom("dirty_run").select("run_id").execute();
  expect(dirty.map(({ run_id }) => run_id).sort()).toEqual(vectors.map(({ name }) => name).sort());

  await applySettings(db, { projectId: PROJECT, clock }, settingsOf(one));
  expect(await linkPending(db, { projectId: PROJECT, clock })).toBe(vectors.length);
  for (const vector of vectors) {
    expect(failuresOf(vector, await findStored(db, vector.name)), vector.name).toEqual([]);
  }
  const rollups = await storedRollups(db);
  expect(rollups).toEqual(await expectedRollups(db));
  expect(rollups.call_day.length).toBeGreaterThan(0);
  expect(rollups.episode_day.length).toBeGreaterThan(0);
});
