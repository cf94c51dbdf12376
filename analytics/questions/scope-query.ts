/** A question's parameters as they travel, in a query string or as flags, and how they become a scope. */
import { z } from "zod";
import { EPISODE_KINDS, type EpisodeKind } from "../episodes/types.ts";
import { nearest } from "./nearest.ts";
import { QuestionError, shown } from "./question-error.ts";
import {
  DIMENSIONS,
  type Dimension,
  type FilterValue,
  GROUP_BY,
  type GroupBy,
  MOST_LABELS,
  OTHER,
  type Scope,
} from "./scope.ts";

const CLOSED: Readonly<Partial<Record<Dimension, readonly string[]>>> = {
  rung: ["0", "1", "2", "3", "4"],
  retryability: ["after_change", "as_is", "never"],
  risk: ["read", "write_reversible", "write_irreversible", "unstated"],
  failure_class: [
    "malformed",
    "schema",
    "unknown_tool",
    "tool_input",
    "denied",
    "execution",
    "timeout",
    "cancelled",
    "output_invalid",
    "unclassified",
  ],
};

const list = (description: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .optional()
    .meta({ description });
const one = (description: string, example: string) => z.string().optional().meta({ description, example });

/** One schema for the API's query, the typed client and the terminal's flags. */
export const scopeQuerySchema = z.strictObject({
  last: one("How far back from now: a number with m, h or d; `all` is everything.", "7d"),
  from: one("Start, ISO 8601 in UTC, included; down to the minute.", "2026-01-15T00:00:00Z"),
  to: one("End, ISO 8601 in UTC, excluded; up to the minute.", "2026-01-16T00:00:00Z"),
  kind: one("Which episodes the funnel's rows are about: repair, recovery or denial.", "repair"),
  group_by: list(`One or several of ${GROUP_BY.join(", ")}; repeated or separated by commas.`),
  limit: one("How many rows a list returns, 1 to 200.", "50"),
  ...(Object.fromEntries(
    DIMENSIONS.map((dimension) => [
      dimension,
      list(`Only this ${dimension}, several by commas; \`null\` is a missing value.`),
    ]),
  ) as Record<Dimension, ReturnType<typeof list>>),
});
export type ScopeQuery = z.input<typeof scopeQuerySchema>;

/** A summary is one whole: it has no groups. */
export const summaryQuerySchema = scopeQuerySchema.omit({ group_by: true });
export type SummaryQuery = z.input<typeof summaryQuerySchema>;

export const SCOPE_PARAMETERS: readonly string[] = Object.keys(scopeQuerySchema.shape);

const MINUTE = 60_000;
const UNITS: Readonly<Record<string, number>> = { m: MINUTE, h: 60 * MINUTE, d: 24 * 60 * MINUTE };
const MOST_VALUES = 100;

/**
 * The scope that a query asks for. Times default to the last 7 days.
 *
 * Throws a QuestionError that names the parameter, shows what came and says what to send.
 */
export function scopeOf(query: ScopeQuery, asked: { readonly projectId: number; readonly asOf: Date }): Scope {
  const filters: Partial<Record<Dimension, readonly FilterValue[]>> = {};
  for (const dimension of DIMENSIONS) {
    const values = valuesOf(dimension, query[dimension]);
    if (values.length > 0) filters[dimension] = values.map((value) => filterValue(dimension, value));
    if (values.length > MOST_VALUES) {
      throw new QuestionError(
        dimension,
        `${dimension} has ${values.length} values, at most ${MOST_VALUES} are taken: ask in parts.`,
      );
    }
  }
  return {
    ...asked,
    ...times(query, asked.asOf),
    kind: kindOf(query.kind),
    filters,
    groupBy: groupByOf(query.group_by),
    limit: limitOf(query.limit),
  };
}

function times(query: ScopeQuery, asOf: Date): { from: Date | null; to: Date | null } {
  if (query.last !== undefined && (query.from !== undefined || query.to !== undefined)) {
    throw new QuestionError(
      "last",
      "last stands for from and to and cannot be joined with them: send last=24h, or from and to.",
    );
  }
  if (query.last === "all") return { from: null, to: null };
  if (query.from !== undefined || query.to !== undefined) {
    const from = query.from === undefined ? null : timeOf("from", query.from, Math.floor);
    const to = query.to === undefined ? null : timeOf("to", query.to, Math.ceil);
    if (from !== null && to !== null && from >= to) {
      throw new QuestionError(
        "to",
        `to is ${to.toISOString()}, which is not after from, ${from.toISOString()}: the interval holds from and ends before to.`,
      );
    }
    return { from, to };
  }
  const to = toMinute(asOf, Math.ceil);
  return { from: new Date(to.getTime() - lastOf(query.last ?? "7d")), to };
}

function lastOf(text: string): number {
  const match = /^([1-9]\d{0,4})([mhd])$/.exec(text);
  if (match === null) {
    throw new QuestionError(
      "last",
      `last is ${shown(text)}, expected a number followed by m, h or d, or "all". Example: last=24h`,
    );
  }
  return Number(match[1]) * UNITS[match[2]!]!;
}

/** Times that ISO 8601 and Postgres write alike. */
const FIRST_TIME = new Date("0001-01-01T00:00:00Z");
const LAST_TIME = new Date("9999-12-31T23:59:00Z");

function timeOf(field: "from" | "to", text: string, round: (minutes: number) => number): Date {
  const form = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/;
  // A time without a zone is UTC: Date would read it as the machine's own.
  const zoned = text.length > 10 && !/(Z|[+-]\d{2}:\d{2})$/.test(text) ? `${text}Z` : text;
  const time = new Date(zoned);
  if (!form.test(text) || Number.isNaN(time.getTime())) {
    throw new QuestionError(
      field,
      `${field} is ${shown(text)}, expected an ISO 8601 date or time. Example: ${field}=2026-01-15T09:00:00Z`,
    );
  }
  const day = form.exec(text)![1]!;
  // Date reads 30 February as 2 March, and would answer for another interval than the one that was asked for.
  if (new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) !== day) {
    throw new QuestionError(
      field,
      `${field} is ${shown(text)}, expected an ISO 8601 date or time, and ${day} is no day of the calendar. Example: ${field}=2026-01-15T09:00:00Z`,
    );
  }
  const minute = toMinute(time, round);
  if (minute < FIRST_TIME || minute > LAST_TIME) {
    throw new QuestionError(
      field,
      `${field} is ${shown(text)}, expected a time in the years 0001 to 9999. Example: ${field}=2026-01-15T09:00:00Z`,
    );
  }
  return minute;
}

/** Calls are counted by minute: an interval can only begin and end between two of them. */
function toMinute(time: Date, round: (minutes: number) => number): Date {
  return new Date(round(time.getTime() / MINUTE) * MINUTE);
}

function kindOf(text: string | undefined): EpisodeKind {
  if (text === undefined) return "repair";
  const kind = EPISODE_KINDS.find((known) => known === text);
  if (kind === undefined) throw unknownWord("kind", text, EPISODE_KINDS);
  return kind;
}

function groupByOf(given: string | string[] | undefined): GroupBy[] {
  const words = valuesOf("group_by", given, "tool");
  const dimensions = words.map((word) => {
    const dimension = GROUP_BY.find((known) => known === word);
    if (dimension === undefined) throw unknownWord("group_by", word, GROUP_BY);
    return dimension;
  });
  return [...new Set(dimensions)];
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return 50;
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > MOST_LABELS) {
    throw new QuestionError(
      "limit",
      `limit is ${shown(text)}, expected a whole number from 1 to ${MOST_LABELS}. Example: limit=50`,
    );
  }
  return limit;
}

function filterValue(dimension: Dimension, value: string): FilterValue {
  if (value === "null") return null;
  if (value.includes("\0")) {
    throw new QuestionError(
      dimension,
      `${dimension} is ${shown(value)} with a NUL character, which no stored text holds: send the value without it.`,
    );
  }
  if (value === OTHER) {
    throw new QuestionError(
      dimension,
      `${dimension} is ${shown(value)}, which gathers the labels beyond the most frequent ${MOST_LABELS} and is no value: name the values themselves.`,
    );
  }
  if (value.length > 256)
    throw new QuestionError(
      dimension,
      `${dimension} is ${shown(value)}, longer than the 256 characters that are stored.`,
    );
  const closed = CLOSED[dimension];
  if (closed !== undefined && !closed.includes(value)) throw unknownWord(dimension, value, [...closed, "null"]);
  return value;
}

/** Refuses a word that is none of the known ones, and guesses which was meant. */
export function unknownWord(field: string, word: string, known: readonly string[]): QuestionError {
  const close = nearest(word, known);
  const meant = close === undefined ? "" : ` Did you mean ${field}=${close}?`;
  return new QuestionError(field, `${field} is ${shown(word)}, expected one of ${known.join(", ")}.${meant}`);
}

/**
 * Repeated or separated by commas; a comma that belongs to a value is written `\,`. A parameter that came without any
 * value is refused: it would be answered with everything, as if it had not been sent.
 *
 * @param example A value to be shown where none came; a filter on a dimension may also ask for the missing one.
 */
export function valuesOf(parameter: string, given: string | string[] | undefined, example?: string): string[] {
  const texts = [given ?? []].flat();
  const values = texts
    .flatMap((text) => text.split(/(?<!\\),/))
    .map((value) => value.replaceAll("\\,", ",").trim())
    .filter((value) => value !== "");
  if (texts.length > 0 && values.length === 0) {
    const missing = example === undefined ? `, ${parameter}=null for those without one` : "";
    throw new QuestionError(
      parameter,
      `${parameter} is empty: send a value${missing}, or leave ${parameter} out. Example: ${parameter}=${example ?? "VALUE"}`,
    );
  }
  return values;
}
