/** A million calls as assembling would leave them, made by the database itself, and linked by the linker. */
import { type Kysely, type RawBuilder, sql } from "kysely";
import { linkPending } from "../../analytics/episodes/linker.ts";
import { DEFAULT_PROJECT_ID } from "../../database/default-project.ts";
import { ensurePartitions } from "../../database/partitions.ts";
import type { Database } from "../../database/schema.ts";
import { CALLS_PER_RUN, SCENARIOS, WITHOUT_REJECTION } from "./scenarios.ts";

/** The moment of every question. Not on a whole hour, so that no interval up to it is. */
export const AS_OF = new Date("2026-11-30T12:34:00Z");
export const DAYS = 90;
/** No run takes longer. */
export const LONGEST_RUN_SECONDS = 300;

const DAY = 24 * 60 * 60 * 1000;
const TURN_SECONDS = 20;
/** The last runs begin so long before the moment of the questions: they have taken all their turns by then. */
const LAST_BEGIN_SECONDS = 600;
/** Runs that begin later than so long before are still going on. */
const GOING_ON_SECONDS = 2_400;
/** Others that never say that they ended begin longer before: they are silent for longer than an episode waits. */
const SILENT_SECONDS = 7_200;
const RUNS_PER_STATEMENT = 10_000;

/** Name, risk, and the argument that models get wrong. */
export const TOOLS = [
  ["search_flights", "read", "day"],
  ["find_guest", "read", "email"],
  ["room_rates", "read", "hotel"],
  ["book_flight", "write_reversible", "seats"],
  ["create_export", "write_reversible", "kind"],
  ["issue_credit", "write_irreversible", "guest"],
] as const;

const lit = (value: string | number | null) => (value === null ? sql`null` : sql`${sql.lit(value)}`);

/** A number from 0 to `n` − 1 that depends on the run and looks like chance. */
const pick = (salt: number, n: number): RawBuilder<number> =>
  sql`mod(mod(hashint8extended(i, ${lit(salt)}), ${lit(n)}) + ${lit(n)}, ${lit(n)})`;

function cumulative(): { low: number; high: number; outcome: string | null; scenario: number }[] {
  let low = 0;
  return SCENARIOS.map(({ weight, outcome }, scenario) => {
    const range = { low, high: low + weight - 1, outcome, scenario };
    low += weight;
    return range;
  });
}

/** Common table expressions: `scenario`, `step`, `tool` and `made`, one row per run from `first` to `last`. */
function made(runs: number, first: number, last: number) {
  const start = new Date(AS_OF.getTime() - DAYS * DAY).toISOString();
  const apart = (DAYS * DAY - LAST_BEGIN_SECONDS * 1000) / runs;
  const scenarios = cumulative().map(
    ({ scenario, low, high, outcome }) => sql`(${lit(scenario)}, ${lit(low)}, ${lit(high)}, ${lit(outcome)}::text)`,
  );
  const steps = SCENARIOS.flatMap((one, scenario) =>
    one.steps.map(({ slot, kind }, turn) => sql`(${lit(scenario)}, ${lit(turn)}, ${lit(slot)}, ${lit(kind)})`),
  );
  const tools = TOOLS.map((texts, number) => sql`(${lit(number)}, ${sql.join(texts.map(lit))})`);
  return sql`
    scenario (scenario, low, high, outcome) as (values ${sql.join(scenarios)}),
    step (scenario, turn, slot, kind) as (values ${sql.join(steps)}),
    tool (number, name, risk, argument) as (values ${sql.join(tools)}),
    -- one row per run, with what chance decided of it
    chance as (
      select
        i,
        ${lit(start)}::timestamptz + i * ${lit(apart)} * interval '1 millisecond' as started_at,
        ${pick(1, 1_000)} as place,
        ${pick(2, TOOLS.length)} as first_tool,
        ${pick(3, 4)} as schema_number,
        ${pick(4, 2)} as template_number,
        ${pick(5, 2)} as fault,
        ${pick(6, 100)} as silence
      from generate_series(${lit(first)}::bigint, ${lit(last)}::bigint) as i
    ),
    -- one row per run
    made as (
      select
        chance.*,
        md5('run' || i) as run_id,
        scenario.scenario,
        scenario.outcome,
        started_at < ${before(GOING_ON_SECONDS)} and (silence > 0 or started_at >= ${before(SILENT_SECONDS)}) as ended
      from chance
      -- The few runs that are still going on all have an episode: some of those are pending.
      join scenario on case
        when started_at < ${before(GOING_ON_SECONDS)} then place
        else ${lit(WITHOUT_REJECTION)} + mod(place, ${lit(1_000 - WITHOUT_REJECTION)})
      end between low and high
    )
  `;
}

const before = (seconds: number) => sql`${lit(new Date(AS_OF.getTime() - seconds * 1000).toISOString())}::timestamptz`;
const later = (seconds: RawBuilder<unknown>) => sql`started_at + ${seconds} * interval '1 second'`;
const END = later(lit((CALLS_PER_RUN + 1) * TURN_SECONDS));

function runRows() {
  return sql`
    insert into run (
      project_id, run_id, source, time_source, agent_name, environment, model, outcome, ended, legs, turns,
      text_only_turns, calls, left_out_calls, started_at, ended_at, first_received_at, last_received_at
    )
    -- one row per run
    select
      ${lit(DEFAULT_PROJECT_ID)}, run_id, 'otlp', 'span', 'travel', 'production', 'example-large',
      case when ended then outcome end, ended, 1, ${lit(CALLS_PER_RUN + 1)}, 1, ${lit(CALLS_PER_RUN)}, 0, started_at, ${END},
      ${later(lit(5))}, ${END} + interval '5 seconds'
    from made
  `;
}

function turnRows() {
  return sql`
    insert into turn (
      project_id, run_id, turn, leg, turn_source, model, provider, input_tokens, cached_input_tokens, output_tokens,
      duration_ms, tools_offered, start_time
    )
    -- one row per model turn
    select
      ${lit(DEFAULT_PROJECT_ID)}, run_id, turn, 0, 'exact', 'example-large', 'example', 3000 + turn * 400,
      2500 + turn * 400, 120, 900, ${lit(TOOLS.length)}, ${later(sql`turn * ${lit(TURN_SECONDS)}`)}
    from made
    cross join generate_series(0, ${lit(CALLS_PER_RUN)}) as turn
  `;
}

function callRows() {
  const start = later(sql`(turn * ${lit(TURN_SECONDS)} + 2)`);
  const variant = sql`case when kind in ('first', 'second') then kind else 'right' || turn end`;
  const wrong = sql`kind in ('first', 'second')`;
  return sql`
    insert into call (
      project_id, trace_id, span_id, start_time, end_time, received_at, duration_ms, run_id, leg, turn, ordinal,
      turn_source, sequence, call_id, tool, link_tool, key_id, signature, argument_digests, origin, validated, verdict,
      schema_verdict, failure_class, has_result, execution_attempts, fingerprint, fingerprint_version, retryability, rung,
      template_version, schema_version, risk, result_bytes, model, agent_name, environment, cohort
    )
    -- one row per call
    select
      ${lit(DEFAULT_PROJECT_ID)}, decode(md5('trace' || i), 'hex'), decode(substr(md5(i || ' ' || turn), 1, 16), 'hex'),
      ${start}, ${start} + interval '40 milliseconds', ${start} + interval '5 seconds', 40, run_id, 0, turn, 0, 'exact',
      turn, 'call_' || substr(md5('id' || i || ' ' || turn), 1, 20), tool.name, tool.name, '0a1b2c3d',
      md5(i || tool.name || ${variant}),
      array[
        tool.argument || '=' || substr(md5('one' || i || ${variant}), 1, 16), 'x=' || substr(md5('two' || i), 1, 16),
        'y=' || substr(md5('three' || i), 1, 16)
      ],
      'model', true, case when ${wrong} then 'rejected' else 'accepted' end,
      case when ${wrong} and fault = 0 then 'rejected' else 'accepted' end,
      case
        when ${wrong} then case fault when 0 then 'schema' else 'tool_input' end
        when kind in ('execution', 'denied') then kind
      end,
      true, 1,
      case
        when ${wrong} then 'invalid:' || tool.argument || case fault when 0 then ':format' else ':not_found' end
        when kind in ('execution', 'denied') then kind || '::'
      end,
      case when kind <> 'right' then '1' end,
      case when ${wrong} then 'after_change' when kind = 'execution' then 'as_is' when kind = 'denied' then 'never' end,
      case when ${wrong} then case template_number when 0 then 1 else 4 end end,
      'texts-' || (template_number + 1), 'schema-' || (schema_number + 1), tool.risk, 800, 'example-large', 'travel',
      'production', '{}'
    from made
    join step using (scenario)
    join tool on tool.number = mod(first_tool + slot, ${lit(TOOLS.length)})
  `;
}

/** Makes runs of ten calls, evenly over the days before the moment of the questions, all of them waiting to be linked. */
export async function makeCalls(
  db: Kysely<Database>,
  runs: number,
  { say, signal }: { readonly say: (line: string) => void; readonly signal: AbortSignal },
): Promise<void> {
  const weeks = Array.from({ length: DAYS + 1 }, (_, day) => new Date(AS_OF.getTime() - day * DAY));
  for (const table of ["turn", "call"] as const) await ensurePartitions(db, table, weeks);
  for (let first = 0; first < runs; first += RUNS_PER_STATEMENT) {
    signal.throwIfAborted();
    const some = made(runs, first, Math.min(first + RUNS_PER_STATEMENT, runs) - 1);
    for (const rows of [runRows(), turnRows(), callRows()]) await sql`with ${some} ${rows}`.execute(db);
    say(`made ${Math.min(first + RUNS_PER_STATEMENT, runs)} of ${runs} runs`);
  }
  await sql`
    insert into dirty_run (project_id, run_id, marked_at)
    -- one row per run
    select project_id, run_id, last_received_at from run
  `.execute(db);
}

/** Links everything with the linker that the service runs. */
export async function linkCalls(db: Kysely<Database>, signal: AbortSignal): Promise<void> {
  await linkPending(db, { projectId: DEFAULT_PROJECT_ID, clock: () => AS_OF, signal });
  signal.throwIfAborted();
}

/** Does at once what Postgres does by itself within hours: the planner then knows the tables, for both sides. */
export async function tidy(db: Kysely<Database>): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`set statement_timeout to 0`.execute(connection);
    await sql`vacuum analyze`.execute(connection);
  });
}
