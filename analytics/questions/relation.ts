/** What a scope means in SQL: which rows are counted, and by what they are grouped. Every relation is aliased `c`. */
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import { DIMENSIONS, type Dimension, type GroupBy, MOST_LABELS, NARROWING, OTHER, type Scope } from "./scope.ts";

/** Rows that carry the dimensions of a call: `run_count`, `episode`, or a subquery with their columns and a run's id. */
export interface Relation {
  readonly from: RawBuilder<unknown>;
  /** Column of the moment that the row belongs to. */
  readonly time: "minute" | "opened_at" | "started_at";
}

export const RUN_COUNT: Relation = { from: sql`run_count`, time: "minute" };
export const EPISODE: Relation = { from: sql`episode`, time: "opened_at" };

const LABELS: Readonly<Record<Dimension, RawBuilder<string | null>>> = {
  tool: sql`case when c.tool_source is null then c.tool else c.tool || '@' || c.tool_source end`,
  schema_version: sql`c.schema_version`,
  template_version: sql`c.template_version`,
  fingerprint: sql`c.fingerprint`,
  rung: sql`c.rung::text`,
  retryability: sql`c.retryability`,
  model: sql`c.model`,
  agent: sql`c.agent_name`,
  environment: sql`c.environment`,
  risk: sql`c.risk`,
  failure_class: sql`c.failure_class`,
};

/** Name and source of a tool: two servers' `search` are two tools. */
export const TOOL_LABEL = LABELS.tool;

/**
 * The rows of one project whose runs do not wait to be assembled or linked: calls of a run that waits are in no rate.
 *
 * A unit of `unassembled` is a letter, a colon, and a run id or a trace id; a run that no span names has its trace's id,
 * or begins with it. `not in` with one subquery each, which Postgres hashes once whatever it believes of the tables'
 * sizes: rows come and go there all the time, and an anti join chosen by old statistics read them for every row.
 */
export function linked(scope: Scope): RawBuilder<boolean> {
  const waiting = sql`select substr(u.unit, 3) from unassembled as u where u.project_id = ${scope.projectId}`;
  return sql`c.project_id = ${scope.projectId}
        and c.run_id not in (select d.run_id from dirty_run as d where d.project_id = ${scope.projectId})
        and c.run_id not in (${waiting})
        and left(c.run_id, 32) not in (${waiting})`;
}

/** The moment lies in the scope's interval. */
export function inTime(scope: Scope, time: Relation["time"]): RawBuilder<boolean> {
  const column = sql.ref(`c.${time}`);
  const from = scope.from === null ? sql<boolean>`true` : sql<boolean>`${column} >= ${scope.from}::timestamptz`;
  const to = scope.to === null ? sql<boolean>`true` : sql<boolean>`${column} < ${scope.to}::timestamptz`;
  return sql`${from} and ${to}`;
}

/** The filters of the scope; `narrowing` says whether those that only failed calls have are among them. */
export function filtered(scope: Scope, which: { readonly narrowing: boolean }): RawBuilder<boolean> {
  const conditions = DIMENSIONS.filter((dimension) => which.narrowing || !NARROWING.has(dimension)).flatMap(
    (dimension) => filterOf(scope, dimension),
  );
  return conditions.length === 0 ? sql`true` : sql`${sql.join(conditions, sql` and `)}`;
}

/** The filter on one dimension, if the scope has it. */
export function filterOf(scope: Scope, dimension: Dimension): RawBuilder<boolean>[] {
  const values = scope.filters[dimension];
  if (values === undefined) return [];
  const label = LABELS[dimension];
  const named = values.filter((value) => value !== null);
  const alternatives = [
    ...(named.length > 0 ? [sql`${label} = any(${named}::text[])`] : []),
    ...(named.length > 0 && dimension === "tool" ? [sql`c.tool = any(${named}::text[])`] : []),
    ...(values.includes(null) ? [sql`${label} is null`] : []),
  ];
  return [sql`(${sql.join(alternatives, sql` or `)})`];
}

/** The most frequent labels of the dimensions that have more than are answered. */
export type Bounds = ReadonlyMap<GroupBy, readonly string[]>;

/** Finds which grouped dimensions have too many labels; a question then answers the rest as one, `_other`. */
export async function boundsOf(db: Kysely<Database>, scope: Scope): Promise<Bounds> {
  const bounds = new Map<GroupBy, readonly string[]>();
  for (const dimension of DIMENSIONS.filter((candidate) => scope.groupBy.includes(candidate))) {
    const { rows } = await sql<{ label: string }>`
      -- one row per label, the most frequent first
      select ${LABELS[dimension]} as label
      from run_count as c
      where ${linked(scope)} and ${inTime(scope, "minute")} and ${filtered(scope, { narrowing: true })}
        and ${LABELS[dimension]} is not null
      group by 1
      order by sum(c.calls) desc, 1
      limit ${MOST_LABELS + 1}
    `.execute(db);
    if (rows.length > MOST_LABELS)
      bounds.set(
        dimension,
        rows.slice(0, MOST_LABELS).map(({ label }) => label),
      );
  }
  return bounds;
}

/** The value by which a row is grouped: a label, `_other`, null, or the start of a day or an hour in UTC. */
export function groupValue(by: GroupBy, time: Relation["time"], bounds: Bounds): RawBuilder<string | null> {
  const utc = sql`${sql.ref(`c.${time}`)} at time zone 'UTC'`;
  if (by === "day") return sql`to_char(${utc}, 'YYYY-MM-DD')`;
  if (by === "hour") return sql`to_char(${utc}, 'YYYY-MM-DD"T"HH24:00:00"Z"')`;
  const label = LABELS[by];
  const most = bounds.get(by);
  if (most === undefined) return label;
  return sql`case when ${label} is null or ${label} = any(${most}::text[]) then ${label} else ${OTHER} end`;
}

/**
 * Runs read from files without times stand at the moment of their import: a chart over time leaves them out.
 */
export function hasTimes(scope: Scope): RawBuilder<boolean> {
  if (!overTime(scope)) return sql`true`;
  return sql`not exists (
    select 1 from run as r where r.project_id = c.project_id and r.run_id = c.run_id and r.time_source = 'import'
  )`;
}

export function overTime(scope: Scope): boolean {
  return scope.groupBy.includes("day") || scope.groupBy.includes("hour");
}
