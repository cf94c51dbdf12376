import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import { cursorOf } from "./cursor.ts";
import { headerOf } from "./header.ts";
import type { RunsAnswer } from "./list-answer.ts";
import type { RunsFilter } from "./page-query.ts";
import { filtered, hasNarrowing } from "./relation.ts";
import { settled } from "./rolled-episodes.ts";
import type { Scope } from "./scope.ts";
import { snapshot } from "./snapshot.ts";
import { standingRuns } from "./standing-runs.ts";

type Listed = RunsAnswer["runs"][number];
type Row = Omit<Listed, "started_at" | "ended_at"> & {
  readonly started_at: Date;
  readonly ended_at: Date;
  readonly place: string;
};

/**
 * The runs that stand in the scope, newest first. A filter that only failed calls have lists the runs with such a call
 * to the filtered tools.
 */
export function listRuns(db: Kysely<Database>, scope: Scope, filter: RunsFilter): Promise<RunsAnswer> {
  return snapshot(db, scope, async (at) => {
    const matching = sql`
      from run as r
      where r.project_id = ${scope.projectId} and r.run_id in (${await standingRuns(at)})
        and ${failedSo(scope)} and ${endedSo(filter)}`;
    const { rows } = await sql<Row & { readonly total: number }>`
      with matching as materialized (
        -- one row per run that matches
        select r.run_id, r.started_at ${matching}
      )
      -- one row per run of the page; one without a run where the page is empty
      select
        (select count(*)::float8 from matching) as total,
        r.run_id, r.run_key, r.agent_name as agent, r.model, r.environment, r.source, r.outcome, r.ended,
        r.started_at, r.ended_at, r.turns as model_turns, r.calls,
        (
          select coalesce(sum(c.first_rejected + c.repair_rejected), 0)::float8
          from run_count as c where c.project_id = r.project_id and c.run_id = r.run_id
        ) as rejected_calls,
        (
          select count(*)::float8
          from episode as e where e.project_id = r.project_id and e.run_id = r.run_id and e.kind = 'repair'
        ) as episodes,
        (
          select count(*)::float8
          from episode as e
          where e.project_id = r.project_id and e.run_id = r.run_id and e.kind = 'repair' and not ${settled(scope)}
        ) as pending_episodes,
        to_char(r.started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as place
      from (values (1)) as always (one)
      left join (
        -- one row per run of the page
        select r.run_id from matching as r
        where ${isBefore(filter)}
        order by r.started_at desc, r.run_id desc
        limit ${scope.limit + 1}
      ) as p on true
      left join run as r on r.project_id = ${scope.projectId} and r.run_id = p.run_id
      order by r.started_at desc, r.run_id desc
    `.execute(at.db);
    const listed = rows.filter(({ run_id }) => run_id !== null);
    const page = listed.slice(0, scope.limit);
    const last = listed.length > page.length ? page.at(-1) : undefined;
    return {
      ...(await headerOf(at)),
      total: rows[0]!.total,
      runs: page.map(({ place: _, total: __, ...row }) => ({
        ...row,
        started_at: row.started_at.toISOString(),
        ended_at: row.ended_at.toISOString(),
      })),
      next: last === undefined ? null : cursorOf([last.place, last.run_id]),
    };
  });
}

function failedSo(scope: Scope): RawBuilder<unknown> {
  if (!hasNarrowing(scope)) return sql`true`;
  return sql`r.run_id in (
          -- one row per run, minute and cohort
          select c.run_id
          from run_count as c
          join cohort as k on k.project_id = c.project_id and k.cohort_id = c.cohort_id
          where c.project_id = ${scope.projectId} and k.failure_class is not null
            and ${filtered(scope, { narrowing: true })}
        )`;
}

function endedSo({ outcomes }: RunsFilter): RawBuilder<unknown> {
  return outcomes.length === 0 ? sql`true` : sql`coalesce(r.outcome, 'unknown') = any(${[...outcomes]}::text[])`;
}

function isBefore({ before }: RunsFilter): RawBuilder<unknown> {
  if (before === null) return sql`true`;
  const [startedAt, runId] = before;
  return sql`(r.started_at, r.run_id) < (${startedAt}::timestamptz, ${runId}::text)`;
}
