/** What a scope means in SQL: labels and filters of a cohort, aliased `k`, and moments in an interval. */
import { type RawBuilder, sql } from "kysely";
import type { Interval } from "./interval.ts";
import { DIMENSIONS, type Dimension, NARROWING, type Scope } from "./scope.ts";

/** What a cohort is called by each dimension. */
export const LABELS: Readonly<Record<Dimension, RawBuilder<string | null>>> = {
  tool: sql`case when k.tool_source is null then k.tool else k.tool || '@' || k.tool_source end`,
  schema_version: sql`k.schema_version`,
  template_version: sql`k.template_version`,
  fingerprint: sql`k.fingerprint`,
  rung: sql`k.rung::text`,
  retryability: sql`k.retryability`,
  model: sql`k.model`,
  agent: sql`k.agent_name`,
  environment: sql`k.environment`,
  risk: sql`k.risk`,
  failure_class: sql`k.failure_class`,
};

/** The moment lies in the interval. */
export function within({ from, to }: Interval, time: RawBuilder<unknown>): RawBuilder<boolean> {
  const begun = from === null ? sql`true` : sql`${time} >= ${from}::timestamptz`;
  const over = to === null ? sql`true` : sql`${time} < ${to}::timestamptz`;
  return sql`${begun} and ${over}`;
}

/** The filters of the scope; `narrowing` says whether those that only failed calls have are among them. */
export function filtered(scope: Scope, which: { readonly narrowing: boolean }): RawBuilder<boolean> {
  return all(DIMENSIONS.filter((dimension) => which.narrowing || !NARROWING.has(dimension)).flatMap(filterOf(scope)));
}

/** The filters on those dimensions that only failed calls have. */
export function narrowed(scope: Scope): RawBuilder<boolean> {
  return all(DIMENSIONS.filter((dimension) => NARROWING.has(dimension)).flatMap(filterOf(scope)));
}

/** The filters on all dimensions but one. */
export function filteredBut(scope: Scope, left: Dimension): RawBuilder<boolean> {
  return all(DIMENSIONS.filter((dimension) => dimension !== left).flatMap(filterOf(scope)));
}

export function hasNarrowing(scope: Scope): boolean {
  return Object.keys(scope.filters).some((dimension) => NARROWING.has(dimension));
}

function all(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.length === 0 ? sql`true` : sql`${sql.join(conditions, sql` and `)}`;
}

/** The filter on one dimension, if the scope has it. A tool may be asked for by its name alone. */
export function filterOf(scope: Scope): (dimension: Dimension) => RawBuilder<boolean>[] {
  return (dimension) => {
    const values = scope.filters[dimension];
    if (values === undefined) return [];
    const label = LABELS[dimension];
    const named = values.filter((value) => value !== null);
    const alternatives = [
      ...(named.length > 0 ? [sql`${label} = any(${named}::text[])`] : []),
      ...(named.length > 0 && dimension === "tool" ? [sql`k.tool = any(${named}::text[])`] : []),
      ...(values.includes(null) ? [sql`${label} is null`] : []),
    ];
    return [sql`(${sql.join(alternatives, sql` or `)})`];
  };
}
