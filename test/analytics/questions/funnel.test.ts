import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databaseQuestions, type Questions } from "../../../analytics/questions/questions.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import {
  clock,
  countRow,
  episodeRow,
  fill,
  minutesAgo,
  NOW,
  PROJECT,
  REPAIRED_NEXT_TURN,
  runRow,
} from "../../support/rows.ts";

let database: TestDatabase;
let questions: Questions;

beforeAll(async () => {
  database = await openTestDatabase();
  questions = databaseQuestions({ db: database.db, clock, projectId: PROJECT });
});
afterAll(() => database.close());

const all = { last: "all" } as const;

describe("counting", () => {
  test("nothing recorded gives null rates and no group, never 0 %", async () => {
    await fill(database.db, {});
    const { overall, groups, runs_waiting } = await questions.funnel({ ...all, group_by: "tool" });
    expect(runs_waiting).toBe(0);
    expect(groups).toEqual([]);
    expect(overall.rates.first_repair_rate).toEqual({
      ...{ numerator: 0, denominator: 0, value: null, interval: null, pending: 0 },
    });
    expect(overall.funnel.rows).toEqual([]);
    expect(overall.worst_tool?.first_repair_rate).toBeNull();
  });

  test("first and repair attempts are summed over minutes, tools and cohorts", async () => {
    await fill(database.db, {
      counts: [
        countRow({ run_id: "a", first_accepted: 3 }),
        countRow({ run_id: "a", minute: minutesAgo(59), first_rejected: 1, failure_class: "malformed" }),
        countRow({ run_id: "b", tool: "book", first_accepted: 1, repair_accepted: 2, not_validated: 1 }),
        countRow({ run_id: "b", tool: "book", first_rejected: 2, repair_rejected: 1, failure_class: "schema" }),
        countRow({ run_id: "c", tool: "book", first_rejected: 1, failure_class: "tool_input" }),
        countRow({ run_id: "c", tool: "book", unpaired_unknown: 1, repair_unknown: 1, results: 0, inferred_turns: 2 }),
      ],
    });
    const { overall } = await questions.funnel(all);
    expect(overall.first_attempts).toEqual({ total: 8, accepted: 4, rejected: 4 });
    expect(overall.repair_attempts).toEqual({ total: 4, accepted: 2, rejected: 1, unknown: 1 });
    expect(overall.calls).toEqual({ total: 13, results: 11, unanswered: 2, unknown_verdict: 2 });
    expect(overall.rates.first_attempt_validity).toMatchObject({ numerator: 4, denominator: 8 });
    expect(overall.rates.first_attempt_validity_parse).toMatchObject({ numerator: 7, denominator: 8 });
    expect(overall.rates.first_attempt_validity_schema).toMatchObject({ numerator: 5, denominator: 7 });
    expect(overall.rates.first_attempt_validity_tool).toMatchObject({ numerator: 4, denominator: 5 });
    expect(overall.rates.retry_failure_rate).toMatchObject({ numerator: 1, denominator: 3 });
    expect(overall.health.not_checked).toEqual({ numerator: 1, denominator: 6, value: 1 / 6 });
    expect(overall.inferred_turns).toMatchObject({ numerator: 2, denominator: 13 });
  });

  test("calls and episodes of a run that waits are in no rate, and the run is counted as waiting once", async () => {
    const counts = ["linked", "dirty", "unassembled"].map((run_id) =>
      countRow({ run_id, first_rejected: 1, failure_class: "schema" }),
    );
    const episodes = ["linked", "dirty", "unassembled"].map((run_id) => episodeRow({ run_id }));
    await fill(database.db, { counts, episodes, waiting: ["dirty"] });
    for (const unit of ["r:unassembled", "x:unassembled", "r:dirty", "t:00000000000000000000000000000001"]) {
      await database.db.insertInto("unassembled").values({ project_id: PROJECT, unit, marked_at: NOW }).execute();
    }
    const { overall, runs_waiting } = await questions.funnel(all);
    expect(runs_waiting).toBe(3);
    expect(overall.first_attempts.total).toBe(1);
    expect(overall.funnel.opened).toBe(1);
    expect(overall.rates.completion_rate.denominator).toBe(1);
  });

  test("a run that no span names waits with its trace", async () => {
    const trace = "0123456789abcdef0123456789abcdef";
    const run_ids = [trace, `${trace}-0123456789abcdef`, "another"];
    await fill(database.db, { counts: run_ids.map((run_id) => countRow({ run_id, first_accepted: 1 })) });
    await database.db
      .insertInto("unassembled")
      .values({ project_id: PROJECT, unit: `t:${trace}`, marked_at: NOW })
      .execute();
    expect((await questions.funnel(all)).overall.first_attempts.total).toBe(1);
  });
});

describe("episodes", () => {
  test("rows hold settled episodes only and sum to them; pending ones stand in the open funnel", async () => {
    await fill(database.db, {
      episodes: [
        episodeRow({
          run_id: "a",
          ...REPAIRED_NEXT_TURN,
          attributed_input_tokens: 6500,
          attributed_duration_ms: 1140,
          shares_with_input_tokens: 1,
        }),
        episodeRow({
          run_id: "b",
          settles_at: "-infinity",
          terminal_outcome: "escalated",
          funnel_row: "unresolved_escalated",
          extra_model_turns: 3,
        }),
        episodeRow({ run_id: "c", settles_at: NOW }),
        episodeRow({ run_id: "d", settles_at: minutesAgo(-1), ...REPAIRED_NEXT_TURN }),
        episodeRow({ run_id: "e", settles_at: "infinity", decided: false, funnel_row: "unresolved_unknown" }),
      ],
    });
    const { overall } = await questions.funnel(all);
    const { funnel, rates, terminal_outcomes } = overall;
    expect(funnel).toMatchObject({ opened: 5, settled: 3, pending: 2, handovers: 1 });
    expect(funnel.rows.map(({ row, episodes, extra_model_turns }) => [row, episodes, extra_model_turns])).toEqual([
      ["repaired_turn_1", 1, 1],
      ["unresolved_completed", 1, 0],
      ["unresolved_escalated", 1, 3],
    ]);
    expect(funnel.rows[0]?.usage).toMatchObject({
      model_turns: 1,
      input_tokens: 6500,
      output_tokens: null,
      duration_ms: 1140,
    });
    expect(funnel.open.map(({ row, episodes }) => [row, episodes])).toEqual([
      ["repaired_turn_1", 1],
      ["undecided", 1],
    ]);
    expect(rates.first_repair_rate).toMatchObject({ numerator: 1, denominator: 3, pending: 2 });
    expect(terminal_outcomes.completed).toMatchObject({ numerator: 2, denominator: 3, pending: 2 });
    expect(terminal_outcomes.escalated).toMatchObject({ numerator: 1, denominator: 3 });
    expect(funnel.extra_turns).toMatchObject({ total: 4, p50: 1, p90: 3, max: 3 });
    expect(funnel.extra_turns.distribution["3"]).toMatchObject({ numerator: 1, denominator: 3 });
    expect(funnel.usage_known.input_tokens).toMatchObject({ numerator: 1, denominator: 1 });
  });

  test("a property that cannot be told leaves its denominator", async () => {
    await fill(database.db, {
      episodes: [
        episodeRow({ run_id: "a", unchanged_repeat: null, first_attempt_unchanged: null, targeted_change: true }),
        episodeRow({
          run_id: "b",
          unchanged_repeat: true,
          first_attempt_unchanged: true,
          steps: 2,
          unchanged_steps: 1,
        }),
        episodeRow({ run_id: "c", kind: "denial", failure_class: "denied", first_attempt_unchanged: null }),
        episodeRow({ run_id: "d", kind: "denial", failure_class: "denied", first_attempt_unchanged: true }),
      ],
    });
    const { rates } = (await questions.funnel(all)).overall;
    expect(rates.unchanged_repeat_rate).toMatchObject({ numerator: 1, denominator: 1 });
    expect(rates.unchanged_step_rate).toMatchObject({ numerator: 1, denominator: 2 });
    expect(rates.targeted_change_rate).toMatchObject({ numerator: 1, denominator: 1 });
    expect(rates.repeat_after_denial_rate).toMatchObject({ numerator: 1, denominator: 1 });
  });

  test("kinds never mix: the rows are of the asked kind, the transient repeat alone of any", async () => {
    await fill(database.db, {
      episodes: [
        episodeRow({ run_id: "a", ...REPAIRED_NEXT_TURN, retryability: "as_is", first_attempt_unchanged: true }),
        episodeRow({ run_id: "b", kind: "recovery", failure_class: "timeout", retryability: "as_is" }),
        episodeRow({ run_id: "c", kind: "denial", failure_class: "denied" }),
      ],
    });
    const { overall } = await questions.funnel({ ...all, kind: "recovery" });
    expect(overall.funnel).toMatchObject({ kind: "recovery", opened: 1, settled: 1 });
    expect(overall.rates.first_repair_rate).toMatchObject({ numerator: 1, denominator: 1 });
    expect(overall.rates.transient_repeat_rate).toMatchObject({ numerator: 1, denominator: 2 });
  });

  test("the evidence of links is stated, by order alone too", async () => {
    await fill(database.db, {
      episodes: [
        episodeRow({ run_id: "a", attempts: 3, linked_digest: 1, linked_order: 1 }),
        episodeRow({ run_id: "a", turn: 9, linked_order: 1 }),
      ],
    });
    const { linked_by } = (await questions.funnel(all)).overall.funnel;
    expect(linked_by.order).toEqual({ numerator: 2, denominator: 3, value: 2 / 3 });
    expect(linked_by.digest.numerator + linked_by.explicit.numerator + linked_by.operation.numerator).toBe(1);
  });
});

describe("scope", () => {
  test("an interval holds its start and not its end, on whole minutes in UTC", async () => {
    const times = ["2026-03-01T23:59:00Z", "2026-03-02T00:00:00Z", "2026-03-02T23:59:00Z", "2026-03-03T00:00:00Z"];
    await fill(database.db, {
      counts: times.map((time, index) => countRow({ run_id: `r${index}`, minute: new Date(time), first_accepted: 1 })),
      episodes: times.map((time, index) => episodeRow({ run_id: `r${index}`, opened_at: new Date(time) })),
    });
    const day = await questions.funnel({ from: "2026-03-02", to: "2026-03-03T00:00:00Z" });
    expect(day.overall.first_attempts.total).toBe(2);
    expect(day.overall.funnel.opened).toBe(2);
    const rounded = await questions.funnel({ from: "2026-03-02T00:00:59Z", to: "2026-03-02T23:59:01Z" });
    expect(rounded.scope).toMatchObject({ from: "2026-03-02T00:00:00.000Z", to: "2026-03-03T00:00:00.000Z" });
    const days = await questions.funnel({ ...all, group_by: "day" });
    expect(days.groups.map(({ key, first_attempts }) => [key.day, first_attempts.total])).toEqual([
      ["2026-03-01", 1],
      ["2026-03-02", 2],
      ["2026-03-03", 1],
    ]);
    const hours = await questions.funnel({ ...all, group_by: "hour" });
    expect(hours.groups.map(({ key }) => key.hour)).toContain("2026-03-01T23:00:00Z");
  });

  test("a fingerprint narrows rejected calls and episodes, never the first attempts", async () => {
    await fill(database.db, {
      counts: [
        countRow({ run_id: "a", first_accepted: 7, repair_accepted: 2 }),
        countRow({
          run_id: "b",
          first_rejected: 2,
          repair_rejected: 1,
          failure_class: "schema",
          fingerprint: "invalid:start:date_format",
        }),
        countRow({ run_id: "c", first_rejected: 1, failure_class: "schema", fingerprint: "missing:end:required" }),
        countRow({ run_id: "d", tool: "book", first_accepted: 5 }),
      ],
      episodes: [
        episodeRow({ run_id: "b", fingerprint: "invalid:start:date_format", ...REPAIRED_NEXT_TURN }),
        episodeRow({ run_id: "b", turn: 5, fingerprint: "invalid:start:date_format" }),
        episodeRow({ run_id: "c", fingerprint: "missing:end:required" }),
      ],
    });
    const filtered = (await questions.funnel({ ...all, tool: "search", fingerprint: "invalid:start:date_format" }))
      .overall;
    expect(filtered.rates.first_attempt_failure_rate).toMatchObject({ numerator: 2, denominator: 10 });
    expect(filtered.rates.retry_failure_rate).toMatchObject({ numerator: 1, denominator: 3 });
    expect(filtered.rates.first_attempt_validity).toMatchObject({ numerator: 7, denominator: 10 });
    expect(filtered.rates.first_repair_rate).toMatchObject({ numerator: 1, denominator: 2 });
    const { groups } = await questions.funnel({ ...all, group_by: "tool,fingerprint" });
    expect(
      groups.map(({ key, rates }) => [
        key,
        rates.first_attempt_failure_rate.numerator,
        rates.first_attempt_failure_rate.denominator,
      ]),
    ).toEqual([
      [{ tool: "search", fingerprint: "invalid:start:date_format" }, 2, 10],
      [{ tool: "search", fingerprint: "missing:end:required" }, 1, 10],
    ]);
  });

  test("a missing value is a group of its own, null, and can be asked for", async () => {
    await fill(database.db, {
      counts: [
        countRow({ run_id: "a", first_accepted: 2 }),
        countRow({ run_id: "b", schema_version: "v2", first_accepted: 1 }),
      ],
    });
    const { groups } = await questions.funnel({ ...all, group_by: ["schema_version"] });
    expect(groups.map(({ key, first_attempts }) => [key.schema_version, first_attempts.total])).toEqual([
      [null, 2],
      ["v2", 1],
    ]);
    expect((await questions.funnel({ ...all, schema_version: "null" })).overall.first_attempts.total).toBe(2);
    expect((await questions.funnel({ ...all, schema_version: "null,v2" })).overall.first_attempts.total).toBe(3);
  });

  test("two servers' tools of one name are two tools, and the bare name asks for both", async () => {
    await fill(database.db, {
      counts: [
        countRow({ run_id: "a", tool_source: "github", first_accepted: 2 }),
        countRow({ run_id: "b", tool_source: "jira", first_accepted: 1 }),
      ],
    });
    const { groups } = await questions.funnel({ ...all, group_by: "tool" });
    expect(groups.map(({ key }) => key.tool)).toEqual(["search@github", "search@jira"]);
    expect((await questions.funnel({ ...all, tool: "search@jira" })).overall.first_attempts.total).toBe(1);
    expect((await questions.funnel({ ...all, tool: "search" })).overall.first_attempts.total).toBe(3);
  });

  test("labels beyond the most frequent 200 are answered as _other, and nothing is lost", async () => {
    await fill(database.db, {
      counts: Array.from({ length: 205 }, (_, index) =>
        countRow({
          run_id: `r${index}`,
          model: `model-${String(index).padStart(3, "0")}`,
          first_accepted: 300 - index,
        }),
      ),
    });
    const { groups, overall } = await questions.funnel({ ...all, group_by: "model" });
    expect(groups).toHaveLength(201);
    const other = groups.find(({ key }) => key.model === "_other");
    expect(other?.first_attempts.total).toBe([200, 201, 202, 203, 204].reduce((sum, index) => sum + 300 - index, 0));
    expect(other?.runs).toBe(5);
    expect(groups.reduce((sum, { first_attempts }) => sum + first_attempts.total, 0)).toBe(
      overall.first_attempts.total,
    );
  });

  test("charts over time leave out runs without times, and say how many", async () => {
    await fill(database.db, {
      runs: [runRow({ run_id: "file", time_source: "import" })],
      counts: [countRow({ run_id: "file", first_accepted: 5 }), countRow({ run_id: "live", first_accepted: 1 })],
    });
    const { groups, overall, runs_without_times } = await questions.funnel({ ...all, group_by: "day" });
    expect(overall.first_attempts.total).toBe(6);
    expect(groups.map(({ first_attempts }) => first_attempts.total)).toEqual([1]);
    expect(runs_without_times).toBe(1);
  });
});

describe("what stands beside a rate", () => {
  test("rows per risk class add up to the whole, each with its terminal outcomes", async () => {
    await fill(database.db, {
      counts: [
        countRow({ run_id: "a", first_accepted: 9, first_rejected: 0 }),
        countRow({ run_id: "b", tool: "pay", risk: "write_irreversible", first_rejected: 1, failure_class: "schema" }),
      ],
      episodes: [
        episodeRow({
          run_id: "b",
          tool: "pay",
          risk: "write_irreversible",
          terminal_outcome: "failed",
          funnel_row: "unresolved_failed",
        }),
      ],
    });
    const { overall } = await questions.funnel(all);
    expect(
      overall.by_risk.map(({ risk, rates }) => [
        risk,
        rates.first_attempt_failure_rate.numerator,
        rates.first_attempt_failure_rate.denominator,
      ]),
    ).toEqual([
      ["read", 0, 9],
      ["write_irreversible", 1, 1],
    ]);
    expect(overall.by_risk[1]?.terminal_outcomes.failed).toMatchObject({ numerator: 1, denominator: 1 });
    const { groups } = await questions.funnel({ ...all, group_by: "risk" });
    expect(groups.map(({ by_risk }) => by_risk.map(({ risk }) => risk))).toEqual([["read"], ["write_irreversible"]]);
  });

  test("the worst tool is the one that is most surely bad, not the one with a single call", async () => {
    await fill(database.db, {
      counts: [
        countRow({ run_id: "a", tool: "rare", first_rejected: 1, failure_class: "schema" }),
        countRow({ run_id: "b", tool: "often", first_rejected: 80, failure_class: "schema" }),
        countRow({ run_id: "b", tool: "often", first_accepted: 20 }),
        countRow({ run_id: "c", tool: "good", first_accepted: 50 }),
      ],
    });
    const { overall, groups } = await questions.funnel({ ...all, group_by: "tool" });
    expect(overall.worst_tool?.first_attempt_failure_rate).toMatchObject({
      tool: "often",
      rate: { numerator: 80, denominator: 100 },
    });
    expect(groups.every(({ worst_tool }) => worst_tool === null)).toBe(true);
  });

  test("a run stands where its first call stands: overall by its first call, per tool by its first call to that tool", async () => {
    await fill(database.db, {
      runs: [
        runRow({ run_id: "done", outcome: "completed" }),
        runRow({ run_id: "not done", outcome: "unsuccessful" }),
        runRow({ run_id: "unknown", outcome: null }),
        runRow({ run_id: "open", ended: false, outcome: null }),
      ],
      counts: [
        countRow({ run_id: "done", minute: minutesAgo(90), tool: "search", first_accepted: 1 }),
        countRow({ run_id: "done", minute: minutesAgo(30), tool: "book", model: "late", first_accepted: 1 }),
        countRow({ run_id: "not done", minute: minutesAgo(50), tool: "book", first_accepted: 1 }),
        countRow({ run_id: "unknown", minute: minutesAgo(50), tool: "book", first_accepted: 1 }),
        countRow({ run_id: "open", minute: minutesAgo(50), tool: "book", first_accepted: 1 }),
      ],
    });
    const whole = (await questions.funnel(all)).overall;
    expect(whole.rates.completion_rate).toMatchObject({ numerator: 1, denominator: 2, pending: 1 });
    expect(whole.outcomes_known).toMatchObject({ numerator: 2, denominator: 3 });
    const lastHour = await questions.funnel({ last: "60m", group_by: "tool" });
    expect(lastHour.overall.rates.completion_rate).toMatchObject({ numerator: 0, denominator: 1 });
    expect(lastHour.groups.find(({ key }) => key.tool === "book")?.rates.completion_rate).toMatchObject({
      numerator: 1,
      denominator: 2,
    });
    const models = await questions.funnel({ ...all, group_by: "model" });
    expect(models.groups.find(({ key }) => key.model === "late")?.rates.completion_rate).toMatchObject({
      denominator: 0,
      value: null,
    });
  });
});
