/** The part of the statement over raw calls that links: which call repairs which, and what that cost. */
import { type RawBuilder, sql } from "kysely";
import { TERMINAL_OUTCOMES } from "../../analytics/metrics/counts.ts";
import { DEFAULT_PROJECT_ID } from "../../database/default-project.ts";
import { EPISODE_NUMBERS } from "./numbers.ts";
import { conditions, type RawQuestion } from "./raw-scope.ts";

/** Settings of a project that nobody has changed. */
const LINK_WINDOW = 2;
const EVENTUAL_WINDOW = 2;
const SETTLE_AFTER_SECONDS = 3_600;

const USAGE = ["input_tokens", "cached_input_tokens", "output_tokens", "duration_ms"];

/** `attempts`, `episodes` with everything that is counted of them, and their `costs`. */
export function ofEpisodes(question: RawQuestion) {
  const { inside, around, ofTool } = conditions(question);
  const settled = sql`(
    run.ended
      or run.last_received_at + ${SETTLE_AFTER_SECONDS} * interval '1 second' <= ${question.asOf}::timestamptz
  )`;
  return sql`
    -- one row per run with a rejected call
    suspects as (
      select distinct c.run_id
      from call as c
      where ${around} and c.failure_class is not null and c.verdict = 'rejected' and ${ofTool}
    ),
    -- one row per call of those runs
    placed as (
      select
        c.run_id, c.tool, c.turn, c.start_time, c.verdict, c.signature, c.fingerprint, c.duration_ms,
        c.argument_digests,
        lag(c.fingerprint) over same_tool as fingerprint_before,
        lag(c.argument_digests) over same_tool as digests_before,
        c.turn - lag(c.turn) over same_tool as distance,
        c.signature = lag(c.signature) over same_tool as repeats,
        max(c.turn) over (partition by c.run_id) as last_call_turn,
        coalesce(
          lag(c.verdict) over same_tool = 'rejected' and c.turn - lag(c.turn) over same_tool <= ${LINK_WINDOW}, false
        ) as is_attempt
      from call as c
      where ${around} and c.origin = 'model' and c.run_id in (select run_id from suspects)
      window same_tool as (partition by c.run_id, c.tool order by c.turn)
    ),
    -- one row per call, numbered by the first attempt that it belongs to
    chained as (
      select *, count(*) filter (where not is_attempt) over (partition by run_id, tool order by turn) as chain
      from placed
    ),
    -- one row per call, with its place in its chain
    counted as (
      select *, row_number() over (partition by run_id, tool, chain order by turn) as place
      from chained
    ),
    -- one row per episode
    episode as (
      select
        run_id,
        tool,
        chain,
        min(start_time) as start_time,
        min(fingerprint) filter (where place = 1) as fingerprint,
        min(turn) as opening_turn,
        max(turn) as last_turn,
        min(turn) filter (where verdict = 'accepted') - min(turn) as repair_turns,
        count(*) - 1 as steps,
        count(*) filter (where is_attempt and repeats and distance = 1) as unchanged_steps,
        bool_or(verdict = 'accepted') filter (where place = 2) as first_repairs,
        bool_or(repeats) filter (where place = 2) as first_repeats,
        min(distance) filter (where place = 2) as first_distance,
        bool_or(
          array(select d from unnest(argument_digests) as d where d like split_part(fingerprint_before, ':', 2) || '=%')
          <> array(select d from unnest(digests_before) as d where d like split_part(fingerprint_before, ':', 2) || '=%')
        ) filter (where place = 2) as targeted,
        min(last_call_turn) > min(turn) as goes_on,
        coalesce(sum(duration_ms) filter (where is_attempt and verdict = 'rejected'), 0) as validation_ms
      from counted
      group by run_id, tool, chain
      having bool_or(verdict = 'rejected' and not is_attempt)
    ),
    -- one row per episode and model turn that it may have cost
    turns as (
      select
        episode.run_id, episode.tool, episode.start_time, episode.fingerprint,
        ${sql.join(USAGE.map((name) => sql`turn.${sql.ref(name)}`))},
        -- an attempt's turn is its episode's, another one is shared by those that it lies in
        case
          when (attempt.tool, attempt.chain) = (episode.tool, episode.chain) then 1.0
          when attempt.chain is not null then 0
          else 1.0 / count(*) over (partition by turn.run_id, turn.turn)
        end as share
      from episode
      join (select c.* from turn as c where ${around}) as turn on turn.run_id = episode.run_id
        and turn.turn > episode.opening_turn and turn.turn <= episode.last_turn
      left join (select * from chained where is_attempt) as attempt
        on attempt.run_id = turn.run_id and attempt.turn = turn.turn
    ),
    -- one row per tool, fingerprint, and whether settled: what the episodes of the interval cost
    costs as (
      select c.tool, c.fingerprint, ${settled} as settled, sum(share) as attributed_model_turns,
        ${sql.join(USAGE.map((name) => sql`sum(${sql.ref(name)} * share) as ${sql.ref(`attributed_${name}`)}`))}
      from turns as c
      join run on run.project_id = ${DEFAULT_PROJECT_ID} and run.run_id = c.run_id
      where ${inside} and ${ofTool}
      group by 1, 2, 3
    ),
    -- one row per tool and fingerprint: repair attempts of the interval
    attempts as (
      select
        c.tool,
        c.fingerprint,
        count(*) filter (where c.verdict = 'accepted') as repair_accepted,
        count(*) filter (where c.verdict = 'rejected') as repair_rejected
      from chained as c
      where ${inside} and ${ofTool} and c.is_attempt
      group by 1, 2
    ),
    -- one row per tool, fingerprint, and whether settled: episodes of the interval
    episodes as (
      select
        c.tool,
        c.fingerprint,
        ${settled} as settled,
        count(*) as episodes,
        ${sql.join(EPISODE_NUMBERS.map((name) => sql`${COUNTED[name]} as ${sql.ref(name)}`))}
      from episode as c
      join run on run.project_id = ${DEFAULT_PROJECT_ID} and run.run_id = c.run_id
      where ${inside} and ${ofTool}
      group by 1, 2, 3
    )
  `;
}

const count = (condition: RawBuilder<unknown>) => sql`count(*) filter (where ${condition})`;
const REPEATS_AT_ONCE = sql`c.first_distance = 1 and c.first_repeats`;
const UNREPAIRED = sql`c.repair_turns is null`;
const OUTCOME = sql`coalesce(run.outcome, 'unknown')`;
const EXTRA = sql`c.last_turn - c.opening_turn`;
const byOutcome = (prefix: string, also: RawBuilder<unknown>) =>
  TERMINAL_OUTCOMES.map((outcome) => [`${prefix}_${outcome}`, count(sql`${OUTCOME} = ${outcome} and ${also}`)]);

/** What is counted of an episode `c` with its run. */
const COUNTED = {
  episodes_settled: sql`count(*)`,
  first_repair: count(sql`c.repair_turns = 1`),
  eventual_repair: count(sql`c.repair_turns <= ${EVENTUAL_WINDOW}`),
  late_repair: count(sql`c.repair_turns > ${EVENTUAL_WINDOW}`),
  unchanged_repeat: count(REPEATS_AT_ONCE),
  unchanged_steps: sql`sum(c.unchanged_steps)`,
  steps: sql`sum(c.steps)`,
  targeted_change: count(sql`c.targeted`),
  targeted_change_known: count(sql`c.targeted is not null`),
  handovers: count(sql`${UNREPAIRED} and ${OUTCOME} in ('escalated', 'exhausted')`),
  extra_model_turns: sql`sum(${EXTRA})`,
  extra_model_turns_0: count(sql`${EXTRA} = 0`),
  extra_model_turns_1: count(sql`${EXTRA} = 1`),
  extra_model_turns_2: count(sql`${EXTRA} = 2`),
  extra_model_turns_3: count(sql`${EXTRA} = 3`),
  extra_model_turns_4: count(sql`${EXTRA} >= 4`),
  next_repaired_next_turn: count(sql`c.first_repairs and c.first_distance = 1`),
  next_repaired_later: count(sql`c.first_repairs and c.first_distance > 1`),
  next_repeated_unchanged: count(sql`not c.first_repairs and c.first_repeats`),
  next_changed_still_invalid: count(sql`not c.first_repairs and not c.first_repeats`),
  next_not_known: sql`0`,
  next_changed_direction: count(sql`c.first_repairs is null and c.goes_on`),
  next_gave_up: count(sql`c.first_repairs is null and not c.goes_on`),
  ...Object.fromEntries(byOutcome("outcome", sql`true`)),
  ...Object.fromEntries(byOutcome("unresolved", UNREPAIRED)),
  // Costs are added apart, but for the time that the model waited for a rejected attempt to be validated.
  attributed_model_turns: sql`0`,
  attributed_input_tokens: sql`0`,
  attributed_cached_input_tokens: sql`0`,
  attributed_output_tokens: sql`0`,
  attributed_duration_ms: sql`sum(c.validation_ms)`,
} as Readonly<Record<(typeof EPISODE_NUMBERS)[number], RawBuilder<unknown>>>;
