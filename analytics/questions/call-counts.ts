import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import type { CallCounts } from "../metrics/counts.ts";
import { type GroupedRow, grouped, type Level } from "./grouped.ts";
import { type Bounds, filterOf, type Relation, RUN_COUNT, TOOL_LABEL } from "./relation.ts";
import { type GroupBy, NARROWING, type Scope } from "./scope.ts";

const total = (column: string): RawBuilder<unknown> => sql`coalesce(sum(${sql.ref(`c.${column}`)}), 0)`;
const totalWhere = (column: string, condition: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`coalesce(sum(${sql.ref(`c.${column}`)}) filter (where ${condition}), 0)`;
const runsWhere = (condition: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`count(distinct c.run_id) filter (where ${condition})`;

const PARSED = sql`c.first_accepted > 0 or (c.first_rejected > 0 and c.failure_class <> 'malformed')`;
const PASSED = sql`c.first_accepted > 0 or (c.first_rejected > 0 and c.failure_class = 'tool_input')`;

const CALLS: Readonly<Record<keyof CallCounts, RawBuilder<unknown>>> = {
  calls: total("calls"),
  results: total("results"),
  first_accepted: total("first_accepted"),
  first_rejected: total("first_rejected"),
  first_rejected_parse: totalWhere("first_rejected", sql`c.failure_class = 'malformed'`),
  first_rejected_schema: totalWhere("first_rejected", sql`c.failure_class in ('schema', 'unknown_tool')`),
  repair_accepted: total("repair_accepted"),
  repair_rejected: total("repair_rejected"),
  repair_unknown: total("repair_unknown"),
  unpaired_unknown: total("unpaired_unknown"),
  not_validated: total("not_validated"),
  corrected: total("corrected"),
  against_schema: total("against_schema"),
  inferred_turns: total("inferred_turns"),
  runs: sql`count(distinct c.run_id)`,
  runs_with_first_attempts: runsWhere(sql`c.first_accepted + c.first_rejected > 0`),
  runs_with_parsed_first_attempts: runsWhere(PARSED),
  runs_with_schema_passed_first_attempts: runsWhere(PASSED),
  runs_with_repair_attempts: runsWhere(sql`c.repair_accepted + c.repair_rejected > 0`),
};

interface Question {
  readonly groupBy: readonly GroupBy[];
  readonly bounds: Bounds;
  readonly levels: readonly Level[];
}

/** All calls of the scope: what rejected calls are counted among. Only dimensions that every call has group them. */
export function callCounts(
  db: Kysely<Database>,
  scope: Scope,
  { groupBy, bounds, levels }: Question,
): Promise<GroupedRow<keyof CallCounts>[]> {
  return grouped(db, scope, {
    relation: RUN_COUNT,
    groupBy: groupBy.filter((by) => !NARROWING.has(by)),
    bounds,
    narrowing: false,
    levels,
    aggregates: CALLS,
  });
}

/** Rejected calls, narrowed by every filter and grouped by every dimension of the scope. */
export function rejectedCounts(
  db: Kysely<Database>,
  scope: Scope,
  { groupBy, bounds, levels }: Question,
): Promise<GroupedRow<"first" | "repair">[]> {
  return grouped(db, scope, {
    relation: RUN_COUNT,
    groupBy,
    bounds,
    narrowing: true,
    levels,
    where: sql`c.first_rejected + c.repair_rejected > 0`,
    aggregates: { first: total("first_rejected"), repair: total("repair_rejected") },
  });
}

/** What is counted of runs; each stands once, whatever it called. */
const COMPLETION = {
  runs: sql`count(distinct c.run_id)`,
  ended: runsWhere(sql`c.ended`),
  known: runsWhere(sql`c.ended and c.outcome is not null`),
  completed: runsWhere(sql`c.ended and c.outcome = 'completed'`),
} as const;

/**
 * Runs by the place of their first call to the tool in question: to any of the filtered tools, and for rows about one
 * tool to that tool.
 */
export async function completionCounts(
  db: Kysely<Database>,
  scope: Scope,
  { groupBy, bounds, levels }: Question,
): Promise<GroupedRow<keyof typeof COMPLETION>[]> {
  const common = {
    groupBy: groupBy.filter((by) => !NARROWING.has(by)),
    bounds,
    narrowing: false,
    aggregates: COMPLETION,
  };
  const perTool = groupBy.includes("tool");
  const rows = await grouped(db, scope, {
    ...common,
    relation: firstCalls(scope, perTool),
    levels: levels.filter((level) => level === "risk"),
  });
  if (perTool || !levels.includes("tool")) return rows;
  const tools = await grouped(db, scope, { ...common, relation: firstCalls(scope, true), levels: ["tool"] });
  return [...rows, ...tools.filter(({ level }) => level === "tool")];
}

/** First calls of the runs that have a call in the interval; whether the first one lies in it is for the caller to ask. */
export function firstCalls(scope: Scope, perTool: boolean): Relation {
  const unit = perTool ? sql`c.run_id, ${TOOL_LABEL}` : sql`c.run_id`;
  const to = scope.to === null ? sql`true` : sql`c.minute < ${scope.to}::timestamptz`;
  const active =
    scope.from === null
      ? sql`true`
      : sql`c.run_id in (
          select a.run_id from run_count as a
          where a.project_id = ${scope.projectId} and a.minute >= ${scope.from}::timestamptz
        )`;
  const tools = filterOf(scope, "tool");
  return {
    time: "minute",
    from: sql`(
      -- one row per run, or per run and tool: its first call
      select distinct on (${unit}) c.*, r.ended, r.outcome
      from run_count as c
      join run as r on r.project_id = c.project_id and r.run_id = c.run_id
      where c.project_id = ${scope.projectId} and ${to} and ${active} and ${sql.join([sql`true`, ...tools], sql` and `)}
      order by ${unit}, c.first_call_at, c.tool, c.tool_source, c.schema_version, c.template_version, c.model, c.risk
    )`,
  };
}
