/** What verifying found: differences with their place, and how many rows were looked at. */

/** A value as it is compared and shown: times in ISO 8601, bytes as hex digits, 64-bit sums as text. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value };

export type Row = Readonly<Record<string, Value>>;

export const TABLES = [
  "run",
  "turn",
  "call",
  "run_count",
  "episode",
  "attempt",
  "cohort",
  "call_day",
  "call_hour",
  "episode_day",
  "episode_hour",
] as const;
export type Table = (typeof TABLES)[number];

export interface Difference {
  readonly table: Table;
  /** `value`: a column differs. `missing_row`: recomputed and not stored. `extra_row`: stored and not recomputed. */
  readonly found: "value" | "missing_row" | "extra_row";
  readonly key: Row;
  /** null where the whole row is missing or extra; `stored` and `recomputed` are then null too. */
  readonly column: string | null;
  readonly stored: Value;
  readonly recomputed: Value;
}

/** So many differences are kept; the others are counted. */
const MOST_LISTED = 1_000;

export class Differences {
  total = 0;
  readonly listed: Difference[] = [];
  readonly #counts = new Map<Table, { rows: number; differences: number }>(
    TABLES.map((table) => [table, { rows: 0, differences: 0 }]),
  );

  add(difference: Difference): void {
    this.total += 1;
    this.#counts.get(difference.table)!.differences += 1;
    if (this.listed.length < MOST_LISTED) this.listed.push(difference);
  }

  /** Counts rows as compared: those of both sides, one on both sides once. */
  addRows(table: Table, rows: number): void {
    this.#counts.get(table)!.rows += rows;
  }

  /** One entry per table. */
  tables(): { readonly table: Table; readonly rows: number; readonly differences: number }[] {
    return [...this.#counts].map(([table, counts]) => ({ table, ...counts }));
  }
}
