import { sql } from "kysely";
import { EPISODE_COUNTERS, episodeContribution } from "../episodes/linker-contributions.ts";
import { coverOf, type Grain, type Interval } from "./interval.ts";
import { within } from "./relation.ts";
import { bucketOf, unionOf } from "./rolled-calls.ts";
import type { Scope } from "./scope.ts";
import type { Snapshot } from "./snapshot.ts";
import { linked } from "./waiting.ts";

/** The episode, aliased `e`, had settled at the moment of the question. */
export const settled = (scope: Scope) => sql<boolean>`(e.settles_at <= ${scope.asOf}::timestamptz)`;

/** The row of the funnel in which the episode, aliased `e`, stands: before it settles, an undecided one has its own. */
export const funnelRow = (scope: Scope) =>
  sql<string>`case when ${settled(scope)} or e.decided then e.funnel_row else 'undecided' end`;

/**
 * Episodes of an interval as rows that add up: `at`, `cohort_id`, `kind`, `settled`, `funnel_row`, `terminal_outcome`,
 * `extra_model_turns`, and the counters, which of episodes that have not settled count them too.
 *
 * Settled ones come from the rollups, as calls do; those that the rollups do not hold yet, because they are pending or
 * have settled just now, from the episodes themselves.
 */
export function rolledEpisodes({ scope, waiting }: Snapshot, interval: Interval, grain: Grain) {
  const { projectId } = scope;
  const cover = coverOf(interval, grain);
  const counters = sql.join(EPISODE_COUNTERS.map((name) => sql.ref(`e.${name}`)));
  const rollup = (table: "episode_day" | "episode_hour") => (part: Interval) =>
    sql`
      -- one row per bucket, cohort, kind, funnel row, outcome and number of extra turns
      select ${table === `episode_${grain}` ? sql`e.bucket` : bucketOf(grain, sql`e.bucket`)} as at, e.cohort_id, e.kind, true as settled, e.funnel_row,
        e.terminal_outcome, e.extra_model_turns, ${counters}
      from ${sql.table(table)} as e
      where e.project_id = ${projectId} and ${within(part, sql`e.bucket`)}`;
  const bucket = bucketOf(grain, sql`e.opened_at`);
  const edge = (part: Interval) => sql`
      -- one row per episode
      select ${bucket} as at, e.cohort_id, e.kind, true as settled, e.funnel_row, e.terminal_outcome,
        e.extra_model_turns, ${episodeContribution("e")}
      from episode as e
      where e.project_id = ${projectId} and e.rolled and ${within(part, sql`e.opened_at`)}
        and ${linked(waiting, sql`e.run_id`)}`;
  const notYet = sql`
      -- one row per episode that no rollup holds
      select ${bucket} as at, e.cohort_id, e.kind, ${settled(scope)} as settled, ${funnelRow(scope)} as funnel_row,
        e.terminal_outcome, e.extra_model_turns, ${episodeContribution("e")}
      from episode as e
      where e.project_id = ${projectId} and not e.rolled and ${within(interval, sql`e.opened_at`)}
        and ${linked(waiting, sql`e.run_id`)}`;
  const takenAway = (part: Interval) => sql`
      -- one row per episode of a run that waits
      select ${bucket} as at, e.cohort_id, e.kind, true as settled, e.funnel_row, e.terminal_outcome,
        e.extra_model_turns, ${episodeContribution("e", -1)}
      from episode as e
      where e.project_id = ${projectId} and e.rolled and ${within(part, sql`e.opened_at`)}
        and e.run_id in (${waiting.runs})`;
  return unionOf([
    ...cover.days.map(rollup("episode_day")),
    ...cover.hours.map(rollup("episode_hour")),
    ...cover.minutes.map(edge),
    notYet,
    ...(cover.rolled === null || waiting.runs === null ? [] : [takenAway(cover.rolled)]),
  ]);
}
