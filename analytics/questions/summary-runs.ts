import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import { TERMINAL_OUTCOMES } from "../metrics/counts.ts";
import { firstCalls } from "./call-counts.ts";
import { byName } from "./episode-details.ts";
import { filtered, inTime, linked } from "./relation.ts";
import { type Dimension, NARROWING, type Scope } from "./scope.ts";
import type { SummaryAnswer } from "./summary-answer.ts";

/** Dimensions that a run has though it called no tool. */
const OF_RUNS: ReadonlySet<Dimension> = new Set<Dimension>(["model", "agent", "environment"]);

type RunSummary = Pick<
  SummaryAnswer,
  | "runs"
  | "ended_runs"
  | "run_outcomes"
  | "model_turns"
  | "text_only_turns"
  | "input_tokens"
  | "cached_input_tokens"
  | "cache_write_tokens"
  | "output_tokens"
> & { readonly left_out_calls: number };

/** Runs of the scope by their first call; a run that called nothing stands at its start, where the filters allow it. */
function runsInScope(scope: Scope): RawBuilder<boolean> {
  const asked = (Object.keys(scope.filters) as Dimension[]).filter((dimension) => !NARROWING.has(dimension));
  const silent = asked.every((dimension) => OF_RUNS.has(dimension))
    ? sql`
        or (
          ${inTime(scope, "started_at")} and ${filtered(scope, { narrowing: false })}
          and not exists (select 1 from run_count as n where n.project_id = c.project_id and n.run_id = c.run_id)
        )`
    : sql``;
  return sql`${linked(scope)} and (
        c.run_id in (
          select c.run_id from ${firstCalls(scope, false).from} as c
          where ${inTime(scope, "minute")} and ${filtered(scope, { narrowing: false })}
        )${silent}
      )`;
}

/** What the runs of the scope were and used. Tokens are null where no turn stated them. */
export async function summariseRuns(db: Kysely<Database>, scope: Scope): Promise<RunSummary> {
  const runs = await sql<Record<string, number>>`
    -- one row
    select
      count(*)::float8 as runs,
      (count(*) filter (where c.ended))::float8 as ended_runs,
      coalesce(sum(c.turns), 0)::float8 as model_turns,
      coalesce(sum(c.text_only_turns), 0)::float8 as text_only_turns,
      coalesce(sum(c.left_out_calls), 0)::float8 as left_out_calls,
      ${sql.join(
        TERMINAL_OUTCOMES.map(
          (outcome) =>
            sql`(count(*) filter (where coalesce(c.outcome, 'unknown') = ${outcome}))::float8 as ${sql.ref(outcome)}`,
        ),
      )}
    from run as c
    where ${runsInScope(scope)}
  `.execute(db);
  const usage = await sql<Record<"input" | "cached" | "written" | "output", number | null>>`
    -- one row
    select
      sum(t.input_tokens)::float8 as input,
      sum(t.cached_input_tokens)::float8 as cached,
      sum(t.cache_write_tokens)::float8 as written,
      sum(t.output_tokens)::float8 as output
    from run as c
    join turn as t on t.project_id = c.project_id and t.run_id = c.run_id
    where ${runsInScope(scope)}
  `.execute(db);
  const row = runs.rows[0]!;
  const tokens = usage.rows[0]!;
  const outcomes = byName(TERMINAL_OUTCOMES, (outcome) => row[outcome] ?? 0);
  return {
    runs: row.runs ?? 0,
    ended_runs: row.ended_runs ?? 0,
    run_outcomes: Object.fromEntries(Object.entries(outcomes).filter(([, count]) => count > 0)),
    model_turns: row.model_turns ?? 0,
    text_only_turns: row.text_only_turns ?? 0,
    input_tokens: tokens.input,
    cached_input_tokens: tokens.cached,
    cache_write_tokens: tokens.written,
    output_tokens: tokens.output,
    left_out_calls: row.left_out_calls ?? 0,
  };
}
