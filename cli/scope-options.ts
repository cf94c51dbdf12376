/** A question's scope as flags: the parameters of the API, with `-` for `_`. Without a time they ask for everything. */
import { ALL_PARAMETERS, type EpisodesQuery } from "../analytics/questions/page-query.ts";
import { DIMENSIONS } from "../analytics/questions/scope.ts";
import type { ScopeQuery } from "../analytics/questions/scope-query.ts";
import type { Option, Options } from "./command.ts";

const text = (placeholder: string, description: string): Option => ({ type: "string", placeholder, description });
const list = (placeholder: string, description: string): Option => ({
  ...text(placeholder, description),
  multiple: true,
});

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  tool: "NAME",
  fingerprint: "CLASS:PATH:CATEGORY",
  rung: "0-4",
  retryability: "after_change|as_is|never",
  risk: "read|write_reversible|…",
};

const TIMES: Options = {
  last: text("DURATION", "Only so far back from now: 30m, 24h, 7d. Default: everything."),
  from: text("TIME", "Only from this ISO time in UTC on."),
  to: text("TIME", "Only before this ISO time in UTC."),
};

const FILTERS: Options = {
  ...Object.fromEntries(
    DIMENSIONS.map((dimension) => [
      toFlag(dimension),
      list(PLACEHOLDERS[dimension] ?? "VALUE", `Only this ${dimension.replaceAll("_", " ")}; null is a missing one.`),
    ]),
  ),
};

/** Options of a question that no kind of episode narrows. */
export const RUN_SCOPE_OPTIONS: Options = { ...TIMES, ...FILTERS };

/** Options of every other command that asks a question. */
export const SCOPE_OPTIONS: Options = {
  ...TIMES,
  kind: text("KIND", "Which episodes the rows are about: repair (default), recovery, denial."),
  ...FILTERS,
};

export const GROUP_OPTIONS: Options = {
  "group-by": list(
    "DIMENSION",
    "One part each: tool, schema_version, template_version, fingerprint, rung, retryability, model, agent, environment, risk, failure_class, day, hour.",
  ),
};

export const LIMIT_OPTION: Options = { limit: text("N", "How many rows, 1 to 200. Default: 10.") };

export const OUTCOME_OPTION: Options = {
  outcome: list(
    "OUTCOME",
    "Only completed, unsuccessful, escalated, blocked, exhausted, failed or unknown ends of the run.",
  ),
};

/** Options of a list that goes on. */
export const PAGE_OPTIONS: Options = {
  limit: text("N", "How many rows, 1 to 200. Default: 20."),
  before: text("NEXT", "The rows that follow: the value that the page before ended with."),
};

export type FlagQuery = ScopeQuery & EpisodesQuery;

/** The API's parameters of the flags that were given. */
export function queryOf(values: Readonly<Record<string, unknown>>, defaults: FlagQuery = {}): FlagQuery {
  const given = ALL_PARAMETERS.flatMap((name) => {
    const value = values[toFlag(name)];
    return value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [[name, value]];
  });
  const query: FlagQuery = { ...defaults, ...Object.fromEntries(given) };
  const timed = query.last !== undefined || query.from !== undefined || query.to !== undefined;
  return timed ? query : { ...query, last: "all" };
}

/** A message about the API's parameters in the words of the terminal: `group_by=day` becomes `--group-by day`. */
export function asFlags(message: string): string {
  return ALL_PARAMETERS.reduce(
    (words, name) =>
      words
        .replaceAll(new RegExp(`(^|[ &])${name}=`, "g"), `$1--${toFlag(name)} `)
        .replace(new RegExp(`^${name} `), `--${toFlag(name)} `),
    message,
  );
}

function toFlag(parameter: string): string {
  return parameter.replaceAll("_", "-");
}
