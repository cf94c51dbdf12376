import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import { cursorOf } from "./cursor.ts";
import { headerOf } from "./header.ts";
import type { EpisodesAnswer } from "./list-answer.ts";
import type { EpisodesFilter } from "./page-query.ts";
import { filtered, LABELS, within } from "./relation.ts";
import { funnelRow, settled } from "./rolled-episodes.ts";
import type { Scope } from "./scope.ts";
import { snapshot } from "./snapshot.ts";
import { linked } from "./waiting.ts";

type Listed = EpisodesAnswer["episodes"][number];
type Row = Omit<Listed, "opened_at"> & { readonly opened_at: Date; readonly place: string };

/** The episodes of a kind behind the numbers of a funnel, newest first. */
export function listEpisodes(db: Kysely<Database>, scope: Scope, filter: EpisodesFilter): Promise<EpisodesAnswer> {
  return snapshot(db, scope, async (at) => {
    const matching = sql`
      from episode as e
      join cohort as k on k.project_id = e.project_id and k.cohort_id = e.cohort_id
      where e.project_id = ${scope.projectId} and e.kind = ${scope.kind} and ${linked(at.waiting, sql`e.run_id`)}
        and ${within(scope, sql`e.opened_at`)} and ${filtered(scope, { narrowing: true })}
        and ${sql.join(conditions(scope, filter), sql` and `)}`;
    const counted = await sql<{ total: number }>`
      -- one row
      select count(*)::float8 as total ${matching}
    `.execute(at.db);
    const { rows } = await sql<Row>`
      -- one row per episode
      select
        e.run_id, r.run_key, e.kind, e.turn, e.ordinal, e.opened_at, ${LABELS.tool} as tool, k.fingerprint,
        k.failure_class, k.schema_version, k.template_version, k.rung::int as rung, k.model, k.risk, e.attempts,
        ${settled(scope)} as settled, e.repaired, e.repair_turns, ${funnelRow(scope)} as funnel_row, e.next_action,
        e.next_tool, e.terminal_outcome, e.extra_model_turns,
        case
          when e.attributed_input_tokens is not null or e.attributed_output_tokens is not null
          then coalesce(e.attributed_input_tokens, 0) + coalesce(e.attributed_output_tokens, 0)
        end as attributed_tokens,
        to_char(e.opened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as place
      from (
        -- one row per episode of the page
        select e.*
        ${matching} and ${isBefore(filter)}
        order by e.opened_at desc, e.run_id desc, e.turn desc, e.ordinal desc
        limit ${scope.limit + 1}
      ) as e
      join cohort as k on k.project_id = e.project_id and k.cohort_id = e.cohort_id
      left join run as r on r.project_id = e.project_id and r.run_id = e.run_id
      order by e.opened_at desc, e.run_id desc, e.turn desc, e.ordinal desc
    `.execute(at.db);
    const page = rows.slice(0, scope.limit);
    const last = rows.length > page.length ? page.at(-1) : undefined;
    return {
      ...(await headerOf(at)),
      total: counted.rows[0]!.total,
      episodes: page.map(({ place: _, ...row }) => ({ ...row, opened_at: row.opened_at.toISOString() })),
      next: last === undefined ? null : cursorOf([last.place, last.run_id, last.turn, last.ordinal]),
    };
  });
}

function conditions(scope: Scope, { rows, nextActions, settled: state, outcomes }: EpisodesFilter) {
  const conditions: RawBuilder<unknown>[] = [sql`true`];
  if (rows.length > 0) conditions.push(sql`${funnelRow(scope)} = any(${[...rows]}::text[])`);
  if (nextActions.length > 0) conditions.push(sql`e.next_action = any(${[...nextActions]}::text[])`);
  if (outcomes.length > 0) conditions.push(sql`e.terminal_outcome = any(${[...outcomes]}::text[])`);
  if (state !== null) conditions.push(sql`${settled(scope)} = ${state}`);
  return conditions;
}

function isBefore({ before }: EpisodesFilter): RawBuilder<unknown> {
  if (before === null) return sql`true`;
  const [openedAt, runId, turn, ordinal] = before;
  return sql`(e.opened_at, e.run_id, e.turn, e.ordinal)
          < (${openedAt}::timestamptz, ${runId}::text, ${turn}::int, ${ordinal}::int)`;
}
