/**
 * The same numbers from raw calls, in one SQL statement: what somebody would write who has only runs, turns and calls.
 *
 * It holds for data with one call a turn, usage in every turn, and no unknown verdicts, operation ids or unknown tools: a
 * call is then an attempt exactly when the call to the same tool before it was rejected and stands at most `W` turns away.
 * Only runs with a rejected call are sorted; of the others nothing but totals is asked.
 */
import { type Kysely, type RawBuilder, sql } from "kysely";
import { DEFAULT_PROJECT_ID } from "../../database/default-project.ts";
import type { Database } from "../../database/schema.ts";
import { complete, EPISODE_NUMBERS, NUMBER_NAMES, type NumberedGroup } from "./numbers.ts";
import { ofEpisodes } from "./raw-episodes.ts";
import { columns, conditions, type RawQuestion } from "./raw-scope.ts";

/** Asked in a transaction with the planner's settings that the answers use themselves. */
export function rawNumbers(db: Kysely<Database>, question: RawQuestion): Promise<NumberedGroup[]> {
  return db.transaction().execute(async (trx) => {
    await sql`set local work_mem to '32MB'`.execute(trx);
    await sql`set local jit to off`.execute(trx);
    const { rows } = await statement(question).execute(trx);
    return rows.map((row) => ({
      tool: row.tool === null ? null : String(row.tool),
      fingerprint: row.fingerprint === null ? null : String(row.fingerprint),
      numbers: complete(Object.fromEntries(NUMBER_NAMES.map((name) => [name, Number(row[name] ?? 0)]))),
    }));
  });
}

function statement(question: RawQuestion): RawBuilder<Record<string, string | number | null>> {
  const groups = question.groups
    ? { tool: sql`tool`, fingerprint: sql`fingerprint`, sets: sql`(), (tool), (tool, fingerprint)` }
    : { tool: sql`null`, fingerprint: sql`null`, sets: sql`()` };
  // A run stands where its first call does; of one tool, where its first call to that tool does.
  const runs = (name: string) => {
    const [any, own] = [sql.ref(name), sql.ref(`tool_${name}`)];
    if (question.tool !== undefined) return sql`sum(${own})`;
    return question.groups ? sql`case grouping(tool) when 1 then sum(${any}) else sum(${own}) end` : sql`sum(${any})`;
  };
  const sums = [
    ...["calls", "repair_accepted", "repair_rejected"].map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`),
    sql`sum(accepted) - sum(repair_accepted) as first_accepted`,
    sql`sum(episodes) as first_rejected, sum(episodes) as episodes_opened`,
    sql`sum(episodes) filter (where not settled) as episodes_pending`,
    ...RUNS.map((name) => sql`${runs(name)} as ${sql.ref(name)}`),
    ...EPISODE_NUMBERS.map((name) => sql`sum(${sql.ref(name)}) filter (where settled) as ${sql.ref(name)}`),
  ];
  return sql`
    with
    ${question.countsOnly ? ofCallsOnly(question) : ofCalls(question)},
    ${ofEpisodes(question)},
    -- one row per part of a count
    part as (
      select tool, null as fingerprint, calls, accepted, 0 as repair_accepted, 0 as repair_rejected,
        ${columns(RUN_NAMES)}, false as settled, 0 as episodes, ${zeros(EPISODE_NUMBERS)}
      from totals
      union all
      select tool, fingerprint, 0, 0, repair_accepted, repair_rejected,
        ${zeros(RUN_NAMES)}, false, 0, ${zeros(EPISODE_NUMBERS)}
      from attempts
      union all
      select tool, fingerprint, 0, 0, 0, 0, ${zeros(RUN_NAMES)}, settled, episodes,
        ${columns(EPISODE_NUMBERS)}
      from episodes
      ${question.countsOnly ? sql`` : ofCosts()}
    )
    -- one row per group; parts that no fingerprint has are no group
    select ${groups.tool} as tool, ${groups.fingerprint} as fingerprint, ${sql.join(sums)}
    from part
    group by grouping sets (${groups.sets})
    ${question.groups ? sql`having grouping(fingerprint) = 1 or fingerprint is not null` : sql``}
  `;
}

/** The part of a count that `costs` are; a statement that does not name them does not compute them. */
const ofCosts = () => sql`
      union all
      select tool, fingerprint, 0, 0, 0, 0, ${zeros(RUN_NAMES)}, settled, 0,
        ${sql.join(EPISODE_NUMBERS.map((name) => (name.startsWith("attributed_") ? sql.ref(name) : sql`0`)))}
      from costs
`;

const RUNS = ["runs", "runs_ended", "runs_known", "runs_completed"] as const;
const RUN_NAMES = [...RUNS, ...RUNS.map((name) => `tool_${name}`)];
const zeros = (names: readonly string[]) => sql.join(names.map((name) => sql`0 as ${sql.ref(name)}`));

/** `totals` of calls alone. */
function ofCallsOnly(question: RawQuestion) {
  const { inside, ofTool } = conditions(question);
  return sql`
    -- one row per tool
    totals as (
      select c.tool, count(*) as calls, count(*) filter (where c.verdict = 'accepted') as accepted, ${zeros(RUN_NAMES)}
      from call as c
      where c.project_id = ${DEFAULT_PROJECT_ID} and ${inside} and c.origin = 'model' and ${ofTool}
      group by c.tool
    )
  `;
}

/** `totals`: calls, and runs by their first call. */
function ofCalls(question: RawQuestion) {
  const { inside, around, ofTool } = conditions(question);
  const states = {
    runs: sql`true`,
    runs_ended: sql`run.ended`,
    runs_known: sql`run.ended and run.outcome is not null`,
    runs_completed: sql`run.ended and run.outcome = 'completed'`,
  };
  const counts = RUNS.flatMap((name) => [
    sql`count(*) filter (where begins and is_first and ${states[name]}) as ${sql.ref(name)}`,
    sql`count(*) filter (where begins and ${states[name]}) as ${sql.ref(`tool_${name}`)}`,
  ]);
  return sql`
    -- one row per run and tool
    called as (
      select c.run_id, c.tool, min(c.start_time) as start_time, count(*) filter (where ${inside}) as calls,
        count(*) filter (where ${inside} and c.verdict = 'accepted') as accepted
      from call as c
      where ${around} and c.origin = 'model' and ${ofTool}
      group by c.run_id, c.tool
    ),
    -- one row per run and tool, with whether the run begins with it
    begun as (
      select c.*, ${inside} as begins, c.start_time = min(c.start_time) over (partition by c.run_id) as is_first
      from called as c
    ),
    -- one row per tool
    totals as (
      select begun.tool, sum(begun.calls) as calls, sum(begun.accepted) as accepted, ${sql.join(counts)}
      from begun
      join run on run.project_id = ${DEFAULT_PROJECT_ID} and run.run_id = begun.run_id
      group by begun.tool
    )
  `;
}
