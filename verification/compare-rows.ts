/** Stored rows beside recomputed ones. Pure. */
import type { Differences, Row, Table, Value } from "./differences.ts";

export interface Comparison {
  readonly table: Table;
  /** Columns by which a row of the one side is found on the other. */
  readonly key: readonly string[];
  readonly stored: Iterable<object>;
  /** Whatever columns these rows have are compared. */
  readonly recomputed: Iterable<object>;
}

type Cells = Readonly<Record<string, unknown>>;

/** Adds every difference. A second stored row of the same key is an extra row. */
export function compareRows({ table, key, stored, recomputed }: Comparison, differences: Differences): void {
  const expected = new Map<string, Cells>();
  for (const row of recomputed as Iterable<Cells>) expected.set(keyText(row, key), row);
  let rows = 0;
  for (const row of stored as Iterable<Cells>) {
    rows += 1;
    const text = keyText(row, key);
    const wanted = expected.get(text);
    expected.delete(text);
    if (wanted !== undefined) compareColumns(table, key, row, wanted, differences);
    else differences.add(wholeRow(table, "extra_row", keyOf(row, key)));
  }
  for (const row of expected.values()) differences.add(wholeRow(table, "missing_row", keyOf(row, key)));
  differences.addRows(table, rows + expected.size);
}

function compareColumns(
  table: Table,
  key: readonly string[],
  found: Cells,
  wanted: Cells,
  differences: Differences,
): void {
  for (const column in wanted) {
    if (found[column] === wanted[column]) continue;
    const stored = plainOf(found[column]);
    const recomputed = plainOf(wanted[column]);
    if (same(stored, recomputed)) continue;
    differences.add({ table, found: "value", key: keyOf(found, key), column, stored, recomputed });
  }
}

function wholeRow(table: Table, found: "missing_row" | "extra_row", key: Row) {
  return { table, found, key, column: null, stored: null, recomputed: null } as const;
}

const keyOf = (row: Cells, key: readonly string[]): Row =>
  Object.fromEntries(key.map((column) => [column, plainOf(row[column])]));

const keyText = (row: Cells, key: readonly string[]): string =>
  JSON.stringify(key.map((column) => plainOf(row[column])));

/** Lists and objects are in a fixed form, so that their texts are equal when they are. */
function same(a: Value, b: Value): boolean {
  if (a === b) return true;
  return typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b);
}

/** One form for what the database returns and what is sent to it. */
function plainOf(value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : value < 0 ? "-infinity" : "infinity";
  if (typeof value === "bigint") return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (Array.isArray(value)) return value.map(plainOf);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([name, field]) => [name, plainOf(field)]),
  );
}
