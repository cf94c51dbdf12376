import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import { type EpisodeCounts, TERMINAL_OUTCOMES, type TransientCounts } from "../metrics/counts.ts";
import { type GroupedRow, grouped, type Level } from "./grouped.ts";
import { type Bounds, EPISODE } from "./relation.ts";
import type { GroupBy, Scope } from "./scope.ts";

interface Question {
  readonly groupBy: readonly GroupBy[];
  readonly bounds: Bounds;
  readonly levels: readonly Level[];
}

/** The episode had settled at the moment of the question. */
export function settled(scope: Scope): RawBuilder<boolean> {
  return sql`c.settles_at <= ${scope.asOf}::timestamptz`;
}

/** Columns of an episode count: an outcome each, the rest as in `EpisodeCounts`. */
type Column = Exclude<keyof EpisodeCounts, "outcomes"> | `outcome_${(typeof TERMINAL_OUTCOMES)[number]}`;

/** Episodes of every kind; `also` holds the kind. */
export async function episodeCounts(
  db: Kysely<Database>,
  scope: Scope,
  { groupBy, bounds, levels }: Question,
): Promise<GroupedRow<Column>[]> {
  const done = settled(scope);
  const count = (condition: RawBuilder<unknown>) => sql`count(*) filter (where ${done} and ${condition})`;
  const runs = (condition: RawBuilder<unknown>) =>
    sql`count(distinct c.run_id) filter (where ${done} and ${condition})`;
  const sum = (column: string) => sql`coalesce(sum(${sql.ref(`c.${column}`)}) filter (where ${done}), 0)`;
  return grouped<Column>(db, scope, {
    relation: EPISODE,
    groupBy,
    bounds,
    narrowing: true,
    levels,
    also: [sql`c.kind`],
    aggregates: {
      opened: sql`count(*)`,
      settled: sql`count(*) filter (where ${done})`,
      pending: sql`count(*) filter (where not ${done})`,
      repaired: count(sql`c.repaired`),
      first_repair: count(sql`c.first_repair`),
      eventual_repair: count(sql`c.eventual_repair`),
      late_repair: count(sql`c.late_repair`),
      unchanged_repeat: count(sql`c.unchanged_repeat`),
      unchanged_repeat_known: count(sql`c.unchanged_repeat is not null`),
      unchanged_repeat_later: count(sql`c.unchanged_repeat_later`),
      unchanged_steps: sum("unchanged_steps"),
      steps: sum("steps"),
      targeted_change: count(sql`c.targeted_change`),
      targeted_change_known: count(sql`c.targeted_change is not null`),
      first_attempt_unchanged: count(sql`c.first_attempt_unchanged`),
      first_attempt_unchanged_known: count(sql`c.first_attempt_unchanged is not null`),
      runs: sql`count(distinct c.run_id) filter (where ${done})`,
      runs_with_unchanged_repeat_known: runs(sql`c.unchanged_repeat is not null`),
      runs_with_steps: runs(sql`c.steps > 0`),
      runs_with_targeted_change_known: runs(sql`c.targeted_change is not null`),
      runs_with_first_attempt_unchanged_known: runs(sql`c.first_attempt_unchanged is not null`),
      ...outcomeCounts(count),
    },
  });
}

function outcomeCounts(
  count: (condition: RawBuilder<unknown>) => RawBuilder<unknown>,
): Record<`outcome_${(typeof TERMINAL_OUTCOMES)[number]}`, RawBuilder<unknown>> {
  return Object.fromEntries(
    TERMINAL_OUTCOMES.map((outcome) => [`outcome_${outcome}`, count(sql`c.terminal_outcome = ${outcome}`)]),
  ) as Record<`outcome_${(typeof TERMINAL_OUTCOMES)[number]}`, RawBuilder<unknown>>;
}

/** The counts of one kind and group, as metrics read them. */
export function toEpisodeCounts(row: GroupedRow<Column>["counts"]): EpisodeCounts {
  const outcomes = Object.fromEntries(TERMINAL_OUTCOMES.map((outcome) => [outcome, row[`outcome_${outcome}`]]));
  return { ...row, outcomes: outcomes as EpisodeCounts["outcomes"] };
}

/** Episodes of any kind whose error said that the same call may work. */
export function transientCounts(
  db: Kysely<Database>,
  scope: Scope,
  { groupBy, bounds, levels }: Question,
): Promise<GroupedRow<keyof TransientCounts>[]> {
  const done = settled(scope);
  const known = sql`${done} and c.first_attempt_unchanged is not null`;
  return grouped(db, scope, {
    relation: EPISODE,
    groupBy,
    bounds,
    narrowing: true,
    levels,
    where: sql`c.retryability = 'as_is'`,
    aggregates: {
      known: sql`count(*) filter (where ${known})`,
      repeated: sql`count(*) filter (where ${done} and c.first_attempt_unchanged)`,
      pending: sql`count(*) filter (where not ${done})`,
      runs: sql`count(distinct c.run_id) filter (where ${known})`,
    },
  });
}
