import { sql } from "kysely";
import { TERMINAL_OUTCOMES } from "../metrics/counts.ts";
import { byName } from "./by-name.ts";
import type { Snapshot } from "./snapshot.ts";
import { standingRuns } from "./standing-runs.ts";
import type { SummaryAnswer } from "./summary-answer.ts";

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

/** What the runs of the scope were and used. Tokens are null where no turn stated them. */
export async function summariseRuns(at: Snapshot): Promise<RunSummary> {
  const { db, scope } = at;
  const standing = await standingRuns(at);
  const inScope = sql`r.project_id = ${scope.projectId} and r.run_id in (${standing})`;
  const runs = await sql<Record<string, number>>`
    -- one row
    select
      count(*)::float8 as runs,
      (count(*) filter (where r.ended))::float8 as ended_runs,
      coalesce(sum(r.turns), 0)::float8 as model_turns,
      coalesce(sum(r.text_only_turns), 0)::float8 as text_only_turns,
      coalesce(sum(r.left_out_calls), 0)::float8 as left_out_calls,
      ${sql.join(
        TERMINAL_OUTCOMES.map(
          (outcome) =>
            sql`(count(*) filter (where coalesce(r.outcome, 'unknown') = ${outcome}))::float8 as ${sql.ref(outcome)}`,
        ),
      )}
    from run as r
    where ${inScope}
  `.execute(db);
  const usage = await sql<Record<"input" | "cached" | "written" | "output", number | null>>`
    -- one row
    select
      sum(t.input_tokens)::float8 as input,
      sum(t.cached_input_tokens)::float8 as cached,
      sum(t.cache_write_tokens)::float8 as written,
      sum(t.output_tokens)::float8 as output
    from run as r
    join turn as t on t.project_id = r.project_id and t.run_id = r.run_id
    where ${inScope}
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
