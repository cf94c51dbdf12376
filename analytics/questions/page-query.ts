/** Parameters of the questions that only pages and lists ask, beside those of a scope. */
import { z } from "zod";
import type { NextAction } from "../episodes/types.ts";
import { TERMINAL_OUTCOMES, type TerminalOutcome } from "../metrics/counts.ts";
import { type Place, placeOf } from "./cursor.ts";
import { NEXT_ACTIONS } from "./episode-details.ts";
import { QuestionError } from "./question-error.ts";
import { type ScopeQuery, scopeQuerySchema, unknownWord, valuesOf } from "./scope-query.ts";

const list = (description: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .optional()
    .meta({ description });
const one = (description: string, example: string) => z.string().optional().meta({ description, example });
const before = one("The value of `next` in the answer before: the rows that follow.", "NEXT");
const outcome = list(`Only ${TERMINAL_OUTCOMES.join(", ")}; several by commas.`);

export const timelineQuerySchema = scopeQuerySchema.omit({ group_by: true, limit: true }).extend({
  bucket: one("minute, hour or day. Default: minute up to 3 hours, hour up to 5 days, else day.", "day"),
});
export type TimelineQuery = z.input<typeof timelineQuerySchema>;

export const valuesQuerySchema = scopeQuerySchema.omit({ group_by: true, limit: true });
export type ValuesQuery = z.input<typeof valuesQuerySchema>;

export const episodesQuerySchema = scopeQuerySchema.omit({ group_by: true }).extend({
  row: list("Only these rows of the funnel: repaired_turn_1, unresolved_exhausted, undecided …"),
  next_action: list(`Only what the model did next: ${NEXT_ACTIONS.join(", ")}.`),
  state: one("settled or pending.", "settled"),
  outcome,
  before,
});
export type EpisodesQuery = z.input<typeof episodesQuerySchema>;

export const runsQuerySchema = scopeQuerySchema.omit({ group_by: true, kind: true }).extend({ outcome, before });
export type RunsQuery = z.input<typeof runsQuerySchema>;

/** Every parameter that some question takes. */
const PARAMETERS: Readonly<Record<string, z.ZodType>> = {
  ...scopeQuerySchema.shape,
  ...timelineQuerySchema.shape,
  ...episodesQuerySchema.shape,
};
export const ALL_PARAMETERS: readonly string[] = Object.keys(PARAMETERS);

/** What a person may send for a parameter that takes one value: `kind=repair`; undefined for lists and unknown names. */
export function exampleOf(parameter: string): string | undefined {
  const example = PARAMETERS[parameter]?.meta()?.example;
  return example === undefined ? undefined : `${parameter}=${example}`;
}

/** The part of a query that is the scope's. */
export function scopePart(query: ScopeQuery): ScopeQuery {
  const names = Object.keys(scopeQuerySchema.shape);
  return Object.fromEntries(Object.entries(query).filter(([name]) => names.includes(name)));
}

export interface EpisodesFilter {
  readonly rows: readonly string[];
  readonly nextActions: readonly NextAction[];
  readonly settled: boolean | null;
  readonly outcomes: readonly TerminalOutcome[];
  readonly before: Place | null;
}

/** Throws a QuestionError that names the parameter, shows what came and says what to send. */
export function episodesFilter(query: EpisodesQuery): EpisodesFilter {
  return {
    rows: valuesOf("row", query.row, "undecided").map(rowOf),
    nextActions: words("next_action", query.next_action, NEXT_ACTIONS),
    settled: query.state === undefined ? null : word("state", query.state, ["settled", "pending"]) === "settled",
    outcomes: words("outcome", query.outcome, TERMINAL_OUTCOMES),
    // Time, run, turn, ordinal.
    before: query.before === undefined ? null : placeOf(query.before, 2),
  };
}

export interface RunsFilter {
  readonly outcomes: readonly TerminalOutcome[];
  readonly before: Place | null;
}

/** Throws a QuestionError that names the parameter, shows what came and says what to send. */
export function runsFilter(query: RunsQuery): RunsFilter {
  return {
    outcomes: words("outcome", query.outcome, TERMINAL_OUTCOMES),
    before: query.before === undefined ? null : placeOf(query.before, 0),
  };
}

const ROWS = ["repaired_late", ...TERMINAL_OUTCOMES.map((outcome) => `unresolved_${outcome}`), "undecided"];

function rowOf(text: string): string {
  if (/^repaired_turn_[1-9]\d{0,3}$/.test(text) || ROWS.includes(text)) return text;
  throw unknownWord("row", text, ["repaired_turn_1", "repaired_turn_2", ...ROWS]);
}

function words<Word extends string>(
  parameter: string,
  given: string | string[] | undefined,
  known: readonly Word[],
): Word[] {
  return valuesOf(parameter, given, known[0]!).map((text) => word(parameter, text, known));
}

function word<Word extends string>(parameter: string, text: string, known: readonly Word[]): Word {
  const found = known.find((candidate) => candidate === text);
  if (found === undefined) throw unknownWord(parameter, text, known);
  return found;
}

const HOUR = 3_600_000;
const BUCKETS = { minute: HOUR / 60, hour: HOUR, day: 24 * HOUR } as const;
export type TimelineBucket = keyof typeof BUCKETS;
const LONGEST_BY_MINUTE = 6 * HOUR;
const MOST_BUCKETS = 500;

/**
 * How finely a timeline divides its interval; an interval without a start is divided by day.
 *
 * Throws a QuestionError where that is too fine, and says what to send.
 */
export function bucketOfTimeline(
  text: string | undefined,
  { from, to, asOf }: { readonly from: Date | null; readonly to: Date | null; readonly asOf: Date },
): TimelineBucket {
  const length = from === null ? Number.POSITIVE_INFINITY : (to ?? asOf).getTime() - from.getTime();
  const fitting = length <= 3 * HOUR ? "minute" : length <= 5 * 24 * HOUR ? "hour" : "day";
  const bucket = text === undefined ? fitting : word("bucket", text, ["minute", "hour", "day"] as const);
  if (bucket === "minute" && length > LONGEST_BY_MINUTE) {
    throw new QuestionError(
      "bucket",
      `bucket is "minute", which is answered for up to 6 hours: send bucket=hour, or a shorter interval. Example: last=3h&bucket=minute`,
    );
  }
  if (length !== Number.POSITIVE_INFINITY) refuseTooMany(bucket, Math.ceil(length / BUCKETS[bucket]));
  return bucket;
}

/** Throws a QuestionError where a timeline would have more points than are answered. */
export function refuseTooMany(bucket: TimelineBucket, buckets: number): void {
  if (buckets <= MOST_BUCKETS) return;
  const coarser = bucket === "day" ? "" : ` send bucket=${bucket === "hour" ? "day" : "hour"}, or`;
  throw new QuestionError(
    "bucket",
    `bucket=${bucket} divides the interval into ${buckets} parts, at most ${MOST_BUCKETS} are answered:${coarser} ask for a shorter interval. Example: last=${bucket === "day" ? "365d" : "14d"}&bucket=${bucket}`,
  );
}
