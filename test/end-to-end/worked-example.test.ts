/**
 * The worked example of METRICS.md section 6: instrumented executor → exporter → collector → rows → episodes → API. On the
 * embedded database a small version; on a server Postgres (`MULLIGAN_TEST_DATABASE_URL`) both weeks at half scale.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FunnelAnswer } from "../../analytics/questions/answer.ts";
import { verify } from "../../verification/verify.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { startTelemetry, type Telemetry } from "../support/telemetry.ts";
import { AFTER, BEFORE, FIRST_ATTEMPTS_PER_RUN, RUNS, runWeek, USAGE, type Week } from "../support/worked-example.ts";

const server = process.env.MULLIGAN_TEST_DATABASE_URL;
const SCALE = server === undefined ? 1 / 57 : 0.5;
/** At half scale as the example has it; the small version only needs runs enough for the rows. */
const WEEK_RUNS = server === undefined ? 200 : RUNS * SCALE;
const FROM = { before: new Date("2026-11-02T00:00:00Z"), after: new Date("2026-11-09T00:00:00Z") };
const END = new Date("2026-11-16T00:00:00Z");

describe(`the worked example, its rows times ${SCALE === 0.5 ? "1/2 on a server Postgres" : "1/57 on the embedded database"}`, () => {
  let service: TestService;
  let telemetry: Telemetry;
  const answers: Partial<Record<"before" | "after", FunnelAnswer>> = {};

  beforeAll(async () => {
    service = await startTestService();
    telemetry = startTelemetry(service.url);
    for (const [name, week] of [
      ["before", BEFORE],
      ["after", AFTER],
    ] as const) {
      await runWeek({
        ...{ week, scale: SCALE, runs: WEEK_RUNS, templateVersion: name, from: FROM[name] },
        afterRun: (done) => (done % 200 === 0 ? telemetry.flush() : undefined),
      });
    }
    await telemetry.flush();
    await service.settled();
    const ask = async (from: Date, to: Date) =>
      await service.ask<FunnelAnswer>(`/api/v1/funnel?from=${from.toISOString()}&to=${to.toISOString()}`);
    answers.before = await ask(FROM.before, FROM.after);
    answers.after = await ask(FROM.after, END);
  }, 300_000);

  afterAll(async () => {
    await telemetry?.shutdown();
    await service?.close();
  });

  test("no span is lost on the way: as many observations as spans were begun", async () => {
    const { count } = await service.db
      .selectFrom("observation")
      .select((at) => at.fn.countAll<string>().as("count"))
      .executeTakeFirstOrThrow();
    expect(Number(count)).toBe(telemetry.created());
    expect(telemetry.created()).toBe(2 * (calls(BEFORE) + calls(AFTER)) + 2 * WEEK_RUNS);
  });

  for (const [name, week, rates] of [
    ["before", BEFORE, { first: 0.4, eventual: 0.7 }],
    ["after", AFTER, { first: 0.85, eventual: 0.9 }],
  ] as const) {
    describe(`the week "${name}"`, () => {
      const funnel = () => answers[name]!.overall.funnel;
      const scaled = (episodes: number) => episodes * SCALE;

      test("the funnel rows and their extra model turns are the table's", () => {
        expect(
          funnel()
            .rows.filter(({ episodes }) => episodes > 0)
            .map(({ row, episodes, extra_model_turns }) => [row, episodes, extra_model_turns]),
        ).toEqual([
          ["repaired_turn_1", scaled(week.nextTurn), scaled(week.nextTurn)],
          ["repaired_turn_2", scaled(week.secondTurn), scaled(week.secondTurn) * 2],
          ["unresolved_escalated", scaled(week.escalated), scaled(week.escalated)],
          ["unresolved_exhausted", scaled(week.exhausted), scaled(week.exhausted) * 3],
        ]);
        expect(funnel().settled).toBe(episodes(week));
        expect(funnel().pending).toBe(0);
      });

      test("first attempts and rejected first attempts are the example's", () => {
        const firstAttempts = WEEK_RUNS * FIRST_ATTEMPTS_PER_RUN;
        expect(answers[name]!.overall.first_attempts).toEqual({
          total: firstAttempts,
          accepted: firstAttempts - episodes(week),
          rejected: episodes(week),
        });
        if (SCALE === 0.5) expect(answers[name]!.overall.rates.first_attempt_failure_rate.value).toBe(0.038);
      });

      test("first and eventual repair rates are the table's, with n of N and the terminal outcomes beside them", () => {
        const overall = answers[name]!.overall;
        expect(overall.rates.first_repair_rate).toMatchObject({
          ...{ numerator: scaled(week.nextTurn), denominator: episodes(week), value: rates.first, pending: 0 },
        });
        expect(overall.rates.eventual_repair_rate).toMatchObject({
          ...{ numerator: scaled(week.nextTurn + week.secondTurn), denominator: episodes(week), value: rates.eventual },
        });
        expect(overall.terminal_outcomes.escalated.numerator).toBe(scaled(week.escalated));
        expect(overall.terminal_outcomes.exhausted.numerator).toBe(scaled(week.exhausted));
        expect(overall.terminal_outcomes.completed.numerator).toBe(scaled(week.nextTurn + week.secondTurn));
        expect(overall.rates.unchanged_repeat_rate.numerator).toBe(scaled(week.exhausted));
      });

      test("extra turns cost the example's tokens and seconds, each turn handed out once", () => {
        const turns = extraTurns(week);
        expect(funnel().extra_turns.total).toBe(turns);
        expect(funnel().usage.model_turns).toBe(turns);
        expect(funnel().usage.input_tokens).toBe(turns * USAGE.inputTokens);
        expect(funnel().usage.output_tokens).toBe(turns * USAGE.outputTokens);
        expect(funnel().usage.duration_ms).toBeCloseTo(turns * 1_140, 3);
      });

      test("handovers are the episodes that ended escalated or exhausted", () => {
        expect(funnel().handovers).toBe(scaled(week.escalated + week.exhausted));
      });
    });
  }

  test("what the rewrite saved is the example's: turns, tokens and seconds", () => {
    const { before, after } = { before: answers.before!.overall.funnel, after: answers.after!.overall.funnel };
    const turns = 1_026 * SCALE;
    expect(before.extra_turns.total - after.extra_turns.total).toBe(turns);
    expect(before.usage.input_tokens! - after.usage.input_tokens!).toBe(turns * 6_500);
    expect(before.usage.output_tokens! - after.usage.output_tokens!).toBe(turns * 350);
    expect(before.usage.duration_ms! - after.usage.duration_ms!).toBeCloseTo(turns * 1_140, 3);
  });

  test("the template version splits both weeks as their times do", async () => {
    const answer = await service.ask<FunnelAnswer>(
      `/api/v1/funnel?from=${FROM.before.toISOString()}&to=${END.toISOString()}&group_by=template_version`,
    );
    const byVersion = new Map(answer.groups.map((group) => [group.key.template_version, group.funnel.rows]));
    expect(byVersion.get("before")).toEqual(answers.before!.overall.funnel.rows);
    expect(byVersion.get("after")).toEqual(answers.after!.overall.funnel.rows);
  });

  test("recomputed from observations, every row of both weeks and every rollup is what is stored", async () => {
    const range = { from: null, to: null };
    const { runs, differences } = await verify(service.db, { projectId: 1, range, clock: () => new Date() });
    expect(runs).toBe(2 * WEEK_RUNS);
    expect(differences).toEqual({ total: 0, listed: [] });
  });

  function episodes(week: Week): number {
    return (week.nextTurn + week.secondTurn + week.escalated + week.exhausted) * SCALE;
  }

  function extraTurns(week: Week): number {
    return (week.nextTurn + 2 * week.secondTurn + week.escalated + 3 * week.exhausted) * SCALE;
  }

  function calls(week: Week): number {
    return WEEK_RUNS * FIRST_ATTEMPTS_PER_RUN + extraTurns(week);
  }
});
