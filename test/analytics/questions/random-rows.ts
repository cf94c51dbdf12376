/** Random rows of runs over some days, and random intervals of whole minutes. */
import fc from "fast-check";
import { countRow, episodeRow, NOW, runRow, type WideCount, type WideEpisode } from "../../support/rows.ts";

const MINUTE = 60_000;
const DAYS = 4;

/** Minutes before now, often at the edge of an hour or a day. */
const minutesBack = fc.oneof(
  fc.integer({ min: 0, max: DAYS * 24 * 60 }),
  fc.integer({ min: 0, max: DAYS * 24 }).map((hours) => hours * 60),
  fc.integer({ min: 0, max: DAYS - 1 }).map((days) => 12 * 60 + days * 24 * 60),
);
const moment = minutesBack.map((minutes) => new Date(NOW.getTime() - minutes * MINUTE));

const cohort = fc.record({
  tool: fc.constantFrom("search", "book"),
  tool_source: fc.constantFrom(null, null, "jira"),
  schema_version: fc.constantFrom(null, "v1", "v2"),
  model: fc.constantFrom("m1", "m2"),
  risk: fc.constantFrom("read", "write_irreversible"),
});
const failure = fc.record({
  fingerprint: fc.constantFrom(null, "invalid:a:type", "missing:b:required"),
  failure_class: fc.constantFrom("malformed", "schema", "tool_input"),
  rung: fc.constantFrom(null, 1, 4),
  retryability: fc.constantFrom(null, "as_is", "after_change"),
});

const small = fc.integer({ min: 0, max: 3 });
const calls = fc.oneof(
  fc
    .tuple(cohort, fc.record({ first_accepted: small, repair_accepted: small, unpaired_unknown: small }))
    .map(([values, counts]) => ({ ...values, ...counts })),
  fc
    .tuple(cohort, failure, fc.record({ first_rejected: small, repair_rejected: small }))
    .map(([values, failed, counts]) => ({ ...values, ...failed, ...counts })),
);

const usage = fc.option(fc.integer({ min: 0, max: 9_000 }).map((tokens) => tokens / 3));
const episode = fc
  .record({
    cohort,
    failure,
    opened_at: fc.tuple(moment, fc.integer({ min: 0, max: 59_999 })),
    kind: fc.constantFrom("repair", "repair", "recovery", "denial"),
    state: fc.constantFrom("rolled", "settled", "pending", "undecided"),
    repaired: fc.boolean(),
    outcome: fc.constantFrom("completed", "exhausted", "unknown"),
    extra_model_turns: fc.integer({ min: 0, max: 6 }),
    tokens: usage,
    unchanged: fc.constantFrom(null, true, false),
    linked_order: small,
  })
  .map(({ cohort, failure, opened_at, state, repaired, outcome, tokens, unchanged, kind, ...rest }) => ({
    ...cohort,
    ...failure,
    ...rest,
    kind: kind as "repair" | "recovery" | "denial",
    opened_at: new Date(opened_at[0].getTime() + opened_at[1]),
    repaired,
    first_repair: repaired,
    eventual_repair: repaired,
    terminal_outcome: outcome,
    funnel_row: repaired ? "repaired_turn_1" : `unresolved_${outcome}`,
    next_action: repaired ? "repaired_next_turn" : "gave_up",
    unchanged_repeat: unchanged,
    attributed_input_tokens: tokens,
    attributed_model_turns: rest.extra_model_turns / 7,
    decided: state !== "undecided",
    settles_at: new Date(NOW.getTime() + (state === "rolled" || state === "settled" ? -MINUTE : 10 * MINUTE)),
    rolled: state === "rolled",
  }));

const run = fc.record({
  calls: fc.array(fc.tuple(moment, calls, fc.integer({ min: 0, max: 59_999 })), { maxLength: 5 }),
  episodes: fc.array(episode, { maxLength: 4 }),
  ended: fc.boolean(),
  outcome: fc.constantFrom(null, "completed", "exhausted"),
  timed: fc.constantFrom(true, true, true, false),
  waits: fc.constantFrom(false, false, false, true),
});

export interface RandomRows {
  readonly runs: ReturnType<typeof runRow>[];
  readonly counts: WideCount[];
  readonly episodes: WideEpisode[];
  readonly waiting: string[];
}

export const randomRows: fc.Arbitrary<RandomRows> = fc.array(run, { minLength: 1, maxLength: 8 }).map((runs) => {
  const named = runs.map((given, index) => ({ ...given, run_id: `run ${index}` }));
  return {
    runs: named.map(({ run_id, ended, outcome, timed, calls }) =>
      runRow({ run_id, ended, outcome, time_source: timed ? "span" : "import", calls: calls.length }),
    ),
    counts: named.flatMap(({ run_id, calls }) =>
      calls
        .filter(([, counts]) => Object.entries(counts).some(([name, value]) => name !== "rung" && Number(value) > 0))
        .map(([minute, counts, offset]) =>
          countRow({ run_id, minute, first_call_at: new Date(minute.getTime() + offset), ...counts }),
        ),
    ),
    episodes: named.flatMap(({ run_id, episodes }) =>
      episodes.map((given, turn) => episodeRow({ run_id, turn, ...given })),
    ),
    waiting: named.filter(({ waits }) => waits).map(({ run_id }) => run_id),
  };
});

export interface RandomInterval {
  readonly from: Date | null;
  readonly to: Date | null;
}

/** Half-open, on whole minutes; either end may be open. */
export const randomInterval: fc.Arbitrary<RandomInterval> = fc
  .tuple(fc.option(moment, { freq: 4 }), fc.option(moment, { freq: 4 }))
  .map(([a, b]) => {
    if (a === null || b === null) return { from: a, to: b };
    const [from, to] = a < b ? [a, b] : [b, a];
    return { from, to: to > from ? to : new Date(from.getTime() + MINUTE) };
  });
