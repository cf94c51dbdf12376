/** What a question is about: which calls, episodes and runs, and by what they are grouped. */
import type { EpisodeKind } from "../episodes/types.ts";

/** Properties of a call that a question can filter and group by. */
export const DIMENSIONS = [
  "tool",
  "schema_version",
  "template_version",
  "fingerprint",
  "rung",
  "retryability",
  "model",
  "agent",
  "environment",
  "risk",
  "failure_class",
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Dimensions that only a failed call has: they narrow rejected calls and episodes, never what those are counted among. */
export const NARROWING: ReadonlySet<string> = new Set<Dimension>([
  "fingerprint",
  "rung",
  "retryability",
  "failure_class",
]);

/** Times in UTC, by which answers can be grouped. */
export const BUCKETS = ["day", "hour"] as const;
export type Bucket = (typeof BUCKETS)[number];

export type GroupBy = Dimension | Bucket;
export const GROUP_BY: readonly GroupBy[] = [...DIMENSIONS, ...BUCKETS];

/** A value that was not recorded. In a parameter it is written `null`. */
export type FilterValue = string | null;

export interface Scope {
  readonly projectId: number;
  /** The moment of the question: an episode counts as settled when it has settled by then. */
  readonly asOf: Date;
  /** Half-open, UTC, on whole minutes; `null` is unbounded. */
  readonly from: Date | null;
  readonly to: Date | null;
  /** Which episodes the rows of a funnel, its costs and lists of what hurts are about. Rates keep their own kinds. */
  readonly kind: EpisodeKind;
  readonly filters: Readonly<Partial<Record<Dimension, readonly FilterValue[]>>>;
  readonly groupBy: readonly GroupBy[];
  /** How many rows a list returns. */
  readonly limit: number;
}

/** More labels than this of one dimension are answered as `_other`. */
export const MOST_LABELS = 200;
export const OTHER = "_other";
