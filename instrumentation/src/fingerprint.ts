/** Value-free names of failures: `<class word>:<parameter path>:<category>` (FINGERPRINTS.md). */
import { toCategory } from "./grammar.ts";
import type { FailureClass } from "./semconv.ts";

/** Version of the vocabulary below; two cohorts compare only under one version. */
export const FINGERPRINT_VERSION = "1";

/** The closed list, in priority order. */
export const CATEGORIES = [
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
export type Category = (typeof CATEGORIES)[number];

export const ROOT_PATH = "$";
export const MOST_FINGERPRINTS = 8;

/** One reason why arguments are refused. `path` is already rewritten over the declared schema. */
export interface Reason {
  readonly path: string;
  readonly category: Category;
}

export function isCategory(word: unknown): word is Category {
  return CATEGORIES.includes(word as Category);
}

/** One reason a path, the most important first: by category, then by path. */
export function rankReasons<R extends Reason>(reasons: readonly R[]): R[] {
  const ranked = [...reasons].sort(
    (a, b) => CATEGORIES.indexOf(a.category) - CATEGORIES.indexOf(b.category) || compare(a.path, b.path),
  );
  const seen = new Set<string>();
  return ranked.filter((reason) => !seen.has(reason.path) && seen.add(reason.path));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** @param category of the closed list for refused arguments; for other classes a declared rule or registered name */
export function fingerprint(failureClass: FailureClass, path: string, category: string): string {
  const word = failureClass === "schema" || failureClass === "tool_input" ? "invalid" : failureClass;
  return `${word}:${path}:${toCategory(category)}`;
}
