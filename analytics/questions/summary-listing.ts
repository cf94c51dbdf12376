import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import type { EpisodeKind } from "../episodes/types.ts";
import { settled } from "./episode-counts.ts";
import { filtered, inTime, linked, TOOL_LABEL } from "./relation.ts";
import type { Scope } from "./scope.ts";
import type { Listed } from "./summary-answer.ts";

const MOST_LISTED = 1_000;

interface Row extends Omit<Listed, "opening" | "attempts" | "outcome"> {
  readonly turn: number;
  readonly ordinal: number;
  readonly attempt_turns: readonly number[];
  readonly attempt_ordinals: readonly number[];
  readonly repaired: boolean;
  readonly first_repair: boolean;
  readonly eventual_repair: boolean;
  readonly undecided: boolean;
}

/** The first 1,000 episodes of a kind, by time, run and place. */
export async function listEpisodes(db: Kysely<Database>, scope: Scope, kind: EpisodeKind): Promise<Listed[]> {
  const { rows } = await sql<Row>`
    -- one row per episode
    select
      coalesce(r.run_key, c.run_id) as run,
      ${TOOL_LABEL} as tool,
      c.turn,
      c.ordinal,
      c.failure_class as class,
      array(
        select a.turn from attempt as a
        where a.project_id = c.project_id and a.run_id = c.run_id and a.kind = c.kind
          and a.opening_turn = c.turn and a.opening_ordinal = c.ordinal
        order by a.attempt
      ) as attempt_turns,
      array(
        select a.ordinal from attempt as a
        where a.project_id = c.project_id and a.run_id = c.run_id and a.kind = c.kind
          and a.opening_turn = c.turn and a.opening_ordinal = c.ordinal
        order by a.attempt
      ) as attempt_ordinals,
      c.repaired,
      c.first_repair,
      c.eventual_repair,
      not c.decided and not ${settled(scope)} as undecided,
      c.next_action,
      c.unchanged_repeat,
      c.targeted_change,
      c.extra_model_turns,
      c.attributed_model_turns
    from episode as c
    join run as r on r.project_id = c.project_id and r.run_id = c.run_id
    where ${linked(scope)} and ${inTime(scope, "opened_at")} and ${filtered(scope, { narrowing: true })} and c.kind = ${kind}
    order by c.opened_at, run, c.turn, c.ordinal
    limit ${MOST_LISTED}
  `.execute(db);
  return rows.map((row) => ({
    run: row.run,
    tool: row.tool,
    opening: [row.turn, row.ordinal],
    class: row.class,
    attempts: row.attempt_turns.map((turn, index) => [turn, row.attempt_ordinals[index]!]),
    outcome: outcomeOf(row),
    next_action: row.next_action,
    unchanged_repeat: row.unchanged_repeat,
    targeted_change: row.targeted_change,
    extra_model_turns: row.extra_model_turns,
    attributed_model_turns: sixDecimals(row.attributed_model_turns),
  }));
}

function outcomeOf(row: Row): Listed["outcome"] {
  if (row.first_repair) return "first_repair";
  if (row.eventual_repair) return "eventual_repair";
  if (row.repaired) return "late_repair";
  return row.undecided ? "undecided" : "unresolved";
}

/** Shares of turns such as 1/3 are stated to six decimals, so that two implementations of the same sum agree. */
export function sixDecimals(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
