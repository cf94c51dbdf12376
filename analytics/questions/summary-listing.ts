import { sql } from "kysely";
import type { EpisodeKind } from "../episodes/types.ts";
import { filtered, LABELS, within } from "./relation.ts";
import { settled } from "./rolled-episodes.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Listed } from "./summary-answer.ts";
import { linked } from "./waiting.ts";

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
export async function listEpisodes({ db, scope, waiting }: Snapshot, kind: EpisodeKind): Promise<Listed[]> {
  const { rows } = await sql<Row>`
    -- one row per episode
    select
      coalesce(r.run_key, e.run_id) as run,
      ${LABELS.tool} as tool,
      e.turn,
      e.ordinal,
      k.failure_class as class,
      array(
        select a.turn from attempt as a
        where a.project_id = e.project_id and a.run_id = e.run_id and a.kind = e.kind
          and a.opening_turn = e.turn and a.opening_ordinal = e.ordinal
        order by a.attempt
      ) as attempt_turns,
      array(
        select a.ordinal from attempt as a
        where a.project_id = e.project_id and a.run_id = e.run_id and a.kind = e.kind
          and a.opening_turn = e.turn and a.opening_ordinal = e.ordinal
        order by a.attempt
      ) as attempt_ordinals,
      e.repaired,
      e.first_repair,
      e.eventual_repair,
      not e.decided and not ${settled(scope)} as undecided,
      e.next_action,
      e.unchanged_repeat,
      e.targeted_change,
      e.extra_model_turns,
      e.attributed_model_turns
    from episode as e
    join cohort as k on k.project_id = e.project_id and k.cohort_id = e.cohort_id
    join run as r on r.project_id = e.project_id and r.run_id = e.run_id
    where e.project_id = ${scope.projectId} and e.kind = ${kind} and ${linked(waiting, sql`e.run_id`)}
      and ${within(scope, sql`e.opened_at`)} and ${filtered(scope, { narrowing: true })}
    order by e.opened_at, run, e.turn, e.ordinal
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
