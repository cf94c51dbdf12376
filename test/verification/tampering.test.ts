/** Whatever one changes in a stored row, takes away or adds, verifying finds it and names it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Difference, Table } from "../../verification/differences.ts";
import { verify } from "../../verification/verify.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { ARRIVAL, clockAt, importRuns, PROJECT, store, variedRuns, work } from "./filled.ts";
import { save } from "./saved.ts";

let database: TestDatabase;
let restore: () => Promise<void>;
beforeAll(async () => {
  database = await openTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), "mulligan-verify-"));
  await store(database.db, variedRuns());
  await importRuns(database.db, folder);
  await rm(folder, { recursive: true });
  await work(database.db);
  restore = await save(database.db);
}, 120_000);
afterAll(() => database?.close());
afterEach(() => restore());

const found = async () =>
  (await verify(database.db, { projectId: PROJECT, range: { from: null, to: null }, clock: clockAt(ARRIVAL) }))
    .differences;

/** Columns of each table that name the row: changed, the row is missing under its own name and extra under another. */
const KEYS: Readonly<Record<Table, readonly string[]>> = {
  run: ["run_id"],
  turn: ["run_id", "turn"],
  call: ["run_id", "trace_id", "span_id"],
  run_count: ["run_id", "minute", "cohort_id"],
  episode: ["run_id", "kind", "turn", "ordinal"],
  attempt: ["run_id", "kind", "opening_turn", "opening_ordinal", "attempt"],
  cohort: ["cohort_id"],
  call_day: ["bucket", "cohort_id"],
  call_hour: ["bucket", "cohort_id"],
  episode_day: ["bucket", "cohort_id", "kind", "funnel_row", "terminal_outcome", "extra_model_turns"],
  episode_hour: ["bucket", "cohort_id", "kind", "funnel_row", "terminal_outcome", "extra_model_turns"],
};
const TABLES = Object.keys(KEYS) as Table[];

/** Another value that the column takes. */
const OTHER: Readonly<Record<string, (column: string) => string>> = {
  integer: (column) => `coalesce(${column}, 0) + 1000`,
  smallint: (column) => `coalesce(${column}, 0) + 100`,
  bigint: (column) => `coalesce(${column}, 0) + 1000`,
  numeric: (column) => `${column} + 0.000000001`,
  "double precision": (column) => `coalesce(${column}, 0) + 0.125`,
  boolean: (column) => `${column} is not true`,
  text: (column) => `coalesce(${column}, '') || 'x'`,
  uuid: () => "'00000000-0000-8000-8000-000000000000'",
  bytea: (column) => `${column} || '\\x00'`,
  ARRAY: (column) => `coalesce(${column}, '{}') || '{x}'`,
  jsonb: (column) => `${column} || '{"x": "y"}'`,
  "timestamp with time zone": (column) =>
    `case when isfinite(${column}) then ${column} + interval '1 second' else '2026-01-15T12:00:00Z' end`,
};
const CHECKED: Readonly<Record<string, string>> = {
  time_source: "case time_source when 'span' then 'file' else 'span' end",
  turn_source: "case turn_source when 'exact' then 'inferred' else 'exact' end",
  verdict: "case verdict when 'accepted' then 'rejected' else 'accepted' end",
  kind: "case kind when 'repair' then 'denial' else 'repair' end",
  evidence: "case evidence when 'order' then 'digest' else 'order' end",
};

async function columnsOf(table: Table): Promise<{ name: string; type: string }[]> {
  const { rows } = await sql<{ name: string; type: string }>`
    -- one row per column
    select column_name as name, data_type as type from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and column_name <> 'project_id'
    order by ordinal_position
  `.execute(database.db);
  return rows;
}

/** One row, the same each time. */
const oneRow = (table: Table) => sql`(tableoid, ctid) = (
  select tableoid, ctid from ${sql.table(table)} as one order by one::text limit 1
)`;

const placed = (differences: readonly Difference[], table: Table) =>
  differences.filter((difference) => difference.table === table);

test("nothing differs where nobody tampered, and every table has rows", async () => {
  const { differences, tables, ...others } = await verify(database.db, {
    ...{ projectId: PROJECT, range: { from: null, to: null }, clock: clockAt(ARRIVAL) },
  });
  expect(differences).toEqual({ total: 0, listed: [] });
  for (const { table, rows } of tables) expect(rows, table).toBeGreaterThan(1);
  expect(others).toMatchObject({ runs_waiting: 0, runs_set_aside: 0, from: null, to: null });
});

describe.each(TABLES)("%s", (table) => {
  test("a changed value is named by table, key and column, whatever the column", async () => {
    for (const { name, type } of await columnsOf(table)) {
      const value = sql.raw(CHECKED[name] ?? OTHER[type]!(name));
      await sql`update ${sql.table(table)} set ${sql.ref(name)} = ${value} where ${oneRow(table)}`.execute(database.db);
      const { listed } = await found();
      const own = placed(listed, table);
      if (KEYS[table].includes(name)) {
        if (table !== "cohort") expect(own, name).toContainEqual(expect.objectContaining({ found: "extra_row" }));
        expect(own, name).toContainEqual(expect.objectContaining({ found: "missing_row", column: null }));
      } else if (table === "episode" && name === "rolled") {
        // Whether an episode is in the rollups shows there.
        expect(listed.map((difference) => difference.table)).toContain("episode_day");
      } else {
        expect(own.map((difference) => [difference.found, difference.column])).toEqual([["value", name]]);
        expect(own[0]!.stored, name).not.toEqual(own[0]!.recomputed);
        expect(Object.keys(own[0]!.key)).toEqual(KEYS[table]);
        // A cohort id that the dictionary does not know is a difference of its own.
        const others = listed.filter((difference) => difference.table !== table && difference.table !== "cohort");
        expect(others, name).toEqual([]);
      }
      await restore();
    }
  }, 120_000);

  test("a deleted row is missing, and nothing else differs", async () => {
    await sql`delete from ${sql.table(table)} where ${oneRow(table)}`.execute(database.db);
    const { listed } = await found();
    expect(listed).toEqual([
      { table, found: "missing_row", key: expect.anything(), column: null, stored: null, recomputed: null },
    ]);
  });

  test("an extra row is named", async () => {
    const columns = await columnsOf(table);
    // Another cohort id would be one that the dictionary does not know: a difference of its own.
    const changed = KEYS[table].findLast((column) => column !== "cohort_id") ?? "cohort_id";
    const names = columns.map(({ name }) => name);
    const type = columns.find(({ name }) => name === changed)!.type;
    const selected = names.map((name) => (name === changed ? OTHER[type]!(name) : name));
    const list = (items: readonly string[]) => sql.raw(["project_id", ...items].join(", "));
    await sql`
      insert into ${sql.table(table)} (${list(names)})
      select ${list(selected)} from ${sql.table(table)} where ${oneRow(table)}
    `.execute(database.db);
    const { listed } = await found();
    if (table === "cohort") expect(listed).toMatchObject([{ table, found: "value", column: "cohort_id" }]);
    else expect(listed).toMatchObject([{ table, found: "extra_row", column: null }]);
  });
});
