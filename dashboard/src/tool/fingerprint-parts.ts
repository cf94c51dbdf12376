/** What a fingerprint says: `<class word>:<parameter path>:<category>` (FINGERPRINTS.md). */
import type { FingerprintRow } from "../../../analytics/client/client.ts";

export interface FingerprintParts {
  /** `invalid`, `malformed`, `unknown_tool`, `denied`, ... */
  readonly word: string;
  /** As the schema names it: `[]` an array's element, `*` a map's key or an undeclared name, `$` the root. */
  readonly path: string;
  readonly category: string;
}

/** The closed vocabulary of argument failures, in the order of its priority: the order of the heat table's columns. */
const CATEGORIES = [
  "malformed_json",
  "truncated",
  "not_object",
  "unknown_tool",
  "missing",
  "type",
  "enum",
  "date_format",
  "format",
  "pattern",
  "range",
  "multiple_of",
  "length",
  "union",
  "key",
  "extra_property",
  "duplicate",
  "conditional",
  "forbidden",
  "custom",
  "other",
] as const;

/** One column stands for every category that an import made from an error's text. */
export const TEXT_COLUMN = "text";

/**
 * The parts of a fingerprint, or null where it has another form. A property may hold colons, dots and brackets, so the
 * path is all that stands between the first colon and the last.
 */
export function partsOf(fingerprint: string): FingerprintParts | null {
  const [first, last] = [fingerprint.indexOf(":"), fingerprint.lastIndexOf(":")];
  if (first <= 0 || last <= first + 1 || last === fingerprint.length - 1) return null;
  return {
    word: fingerprint.slice(0, first),
    path: fingerprint.slice(first + 1, last),
    category: fingerprint.slice(last + 1),
  };
}

export const isTextCategory = (category: string): boolean => category.startsWith("text_");

/** A fingerprint's calls: those that were rejected at first, and those that were rejected while repairing. */
export interface HeatCell {
  readonly first: number;
  readonly repair: number;
  /** Every fingerprint that fell into the cell: `malformed` and `invalid` may name the same path and category. */
  readonly fingerprints: readonly string[];
}

export interface Heat {
  /** Most rejected calls first. */
  readonly paths: readonly string[];
  readonly categories: readonly string[];
  /** By path, then category. */
  readonly cells: ReadonlyMap<string, ReadonlyMap<string, HeatCell>>;
  readonly total: number;
  /** Rejected calls whose fingerprint is missing or of another form: they have no place in the table. */
  readonly unplaced: number;
}

type Counted = Pick<FingerprintRow, "key" | "first_attempts" | "repair_attempts">;

/** Rejected calls by parameter and category. */
export function heatOf(rows: readonly Counted[]): Heat {
  const cells = new Map<string, Map<string, HeatCell>>();
  let [total, unplaced] = [0, 0];
  for (const { key, first_attempts, repair_attempts } of rows) {
    const [first, repair] = [first_attempts.rejected, repair_attempts.rejected];
    if (first + repair === 0) continue;
    const fingerprint = typeof key.fingerprint === "string" ? key.fingerprint : null;
    const parts = fingerprint === null ? null : partsOf(fingerprint);
    if (fingerprint === null || parts === null) {
      unplaced += first + repair;
      continue;
    }
    total += first + repair;
    const column = isTextCategory(parts.category) ? TEXT_COLUMN : parts.category;
    const row = cells.get(parts.path) ?? new Map<string, HeatCell>();
    const before = row.get(column) ?? { first: 0, repair: 0, fingerprints: [] };
    row.set(column, {
      first: before.first + first,
      repair: before.repair + repair,
      fingerprints: [...before.fingerprints, fingerprint],
    });
    cells.set(parts.path, row);
  }
  const sum = (row: ReadonlyMap<string, HeatCell>) =>
    [...row.values()].reduce((all, { first, repair }) => all + first + repair, 0);
  const paths = [...cells].sort(([a, x], [b, y]) => sum(y) - sum(x) || (a < b ? -1 : 1)).map(([path]) => path);
  const categories = [...new Set([...cells.values()].flatMap((row) => [...row.keys()]))].sort(
    (a, b) => columnOrder(a) - columnOrder(b) || (a < b ? -1 : 1),
  );
  return { paths, categories, cells, total, unplaced };
}

function columnOrder(category: string): number {
  const place = (CATEGORIES as readonly string[]).indexOf(category);
  if (place !== -1) return place;
  return category === TEXT_COLUMN ? CATEGORIES.length + 1 : CATEGORIES.length;
}
