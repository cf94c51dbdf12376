import { type Kysely, sql } from "kysely";
import type { Database } from "../database/schema.ts";
import { arrayLiteral, type Cell } from "./array-literal.ts";

/** Rows of one statement. Larger batches are slower again (measured: 512, 2,048, 8,192). */
export const BATCH_ROWS = 2_000;

/** A column, its type, and what a row holds there. Lists and JSON are sent as text and cast in the row. */
export interface Column<Row> {
  readonly name: string;
  readonly type:
    | "integer"
    | "bigint"
    | "smallint"
    | "double precision"
    | "boolean"
    | "text"
    | "timestamptz"
    | "bytea"
    | "text[]"
    | "jsonb";
  cell(row: Row): Cell;
}

/** A relation of the rows for an insert: `select … from unnest(…)`. */
export function rowsOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[]) {
  const sent = (type: Column<Row>["type"]) => (type === "text[]" || type === "jsonb" ? "text" : type);
  const values = columns.map(({ name, type, cell }) => ({
    name: sql.ref(name),
    array: sql`${arrayLiteral(rows.map(cell))}::${sql.raw(`${sent(type)}[]`)}`,
    selected: type === sent(type) ? sql.ref(name) : sql`${sql.ref(name)}::${sql.raw(type)}`,
  }));
  const names = sql.join(values.map((value) => value.name));
  return {
    names,
    relation: sql`select ${sql.join(values.map((value) => value.selected))} from unnest(${sql.join(values.map((value) => value.array))}) as sent (${names})`,
  };
}

/** Inserts what is not there yet, in batches. */
export async function insertRows<Row>(
  trx: Kysely<Database>,
  table: keyof Database,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += BATCH_ROWS) {
    const { names, relation } = rowsOf(rows.slice(from, from + BATCH_ROWS), columns);
    await sql`insert into ${sql.table(table)} (${names}) ${relation} on conflict do nothing`.execute(trx);
  }
}

/** A time as Postgres reads it. */
export function timeCell(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
