import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databaseQuestions, type Questions } from "../../../analytics/questions/questions.ts";
import { summaryAnswerSchema } from "../../../analytics/questions/summary-answer.ts";
import { ensurePartitions } from "../../../database/partitions.ts";
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

describe("the summary", () => {
  test("counts runs by outcome, also those that called nothing; unknown is shown as unknown and adds up", async () => {
    await fill(database.db, {
      runs: [
        runRow({ run_id: "a", outcome: "completed", turns: 4, text_only_turns: 1 }),
        runRow({ run_id: "b", outcome: null, turns: 3, text_only_turns: 3, calls: 0, left_out_calls: 2 }),
        runRow({ run_id: "c", outcome: null, ended: false, turns: 2 }),
        runRow({ run_id: "waits", outcome: "failed" }),
      ],
      counts: [
        countRow({ run_id: "a", first_accepted: 1 }),
        countRow({ run_id: "c", unpaired_unknown: 1, results: 0 }),
      ],
      waiting: ["waits"],
    });
    const answer = await questions.summary(all);
    expect(answer).toMatchObject({
      runs: 3,
      ended_runs: 2,
      run_outcomes: { completed: 1, unknown: 2 },
      model_turns: 9,
      text_only_turns: 4,
    });
    expect(answer.left_out).toEqual({ calls_not_of_the_model: 2 });
    expect(answer.calls_by_class).toEqual({ ok: 1, unanswered: 1 });
    expect(answer.runs_waiting).toBe(1);
  });

  test("a filter on a tool leaves out runs that did not call it, one on a model does not leave out silent runs", async () => {
    await fill(database.db, {
      runs: [runRow({ run_id: "silent", model: "m1", calls: 0 }), runRow({ run_id: "a", model: "m1" })],
      counts: [countRow({ run_id: "a", model: "m1", first_accepted: 1 })],
    });
    expect((await questions.summary({ ...all, tool: "search" })).runs).toBe(1);
    expect((await questions.summary({ ...all, model: "m1" })).runs).toBe(2);
    expect((await questions.summary({ ...all, model: "m2" })).runs).toBe(0);
  });

  test("tokens are null where no turn stated them, and summed over the turns that did", async () => {
    await fill(database.db, { runs: [runRow({ run_id: "a", calls: 0 })] });
    expect(await questions.summary(all)).toMatchObject({ input_tokens: null, output_tokens: null });
    await ensurePartitions(database.db, "turn", [NOW]);
    const turn = {
      project_id: PROJECT,
      run_id: "a",
      leg: 0,
      turn_source: "exact",
      start_time: NOW,
      model: null,
      provider: null,
    } as const;
    const usage = {
      cached_input_tokens: null,
      cache_write_tokens: null,
      duration_ms: null,
      tools_offered: null,
      tool_definition_tokens: null,
    };
    await database.db
      .insertInto("turn")
      .values([
        { ...turn, ...usage, turn: 0, input_tokens: 5_000_000_000, output_tokens: null },
        { ...turn, ...usage, turn: 1, input_tokens: 1, output_tokens: null },
      ])
      .execute();
    expect(await questions.summary(all)).toMatchObject({ input_tokens: 5_000_000_001, output_tokens: null });
  });

  test("each tool has the same keys, and only the kinds of episode that it has", async () => {
    await fill(database.db, {
      counts: [
        countRow({ run_id: "a", first_rejected: 1, repair_accepted: 1, failure_class: "schema" }),
        countRow({ run_id: "a", tool: "book", first_accepted: 2 }),
      ],
      episodes: [episodeRow({ run_id: "a", ...REPAIRED_NEXT_TURN, attributed_model_turns: 1 / 3 })],
    });
    const answer = await questions.summary(all);
    expect(Object.keys(answer.by_tool)).toEqual(["book", "search"]);
    expect(answer.by_tool.book).toMatchObject({ runs: 1, tool_calls: 2, episodes: {} });
    expect(answer.by_tool.search?.episodes.repair).toMatchObject({
      opened: 1,
      first_repair: 1,
      unresolved: 0,
      funnel: { repaired_turn_1: { episodes: 1, extra_model_turns: 1 } },
      attributed_model_turns: 0.333333,
      attributed_input_tokens: null,
      terminal_outcomes: { completed: 1 },
    });
    expect(answer.by_tool.search?.rates.first_repair_rate).toMatchObject({ numerator: 1, denominator: 1 });
    expect(answer.by_tool.search?.terminal_outcomes.completed).toMatchObject({ numerator: 1, denominator: 1 });
    expect(summaryAnswerSchema.safeParse(answer).error).toBeUndefined();
  });

  test("lists each episode with its place, attempts and what became of it", async () => {
    await fill(database.db, {
      runs: [runRow({ run_id: "tau/0/0", run_key: "0/0" })],
      episodes: [
        episodeRow({ run_id: "tau/0/0", turn: 9, ...REPAIRED_NEXT_TURN }),
        episodeRow({ run_id: "live", turn: 1, decided: false, settles_at: "infinity", opened_at: minutesAgo(1) }),
      ],
    });
    await database.db
      .insertInto("attempt")
      .values({
        project_id: PROJECT,
        run_id: "tau/0/0",
        kind: "repair",
        opening_turn: 9,
        opening_ordinal: 0,
        attempt: 1,
        turn: 10,
        ordinal: 2,
        evidence: "digest",
      })
      .execute();
    const { listing, listing_left_out } = await questions.summary(all);
    expect(listing.repair).toMatchObject([
      { run: "0/0", tool: "search", opening: [9, 0], class: "schema", attempts: [[10, 2]], outcome: "first_repair" },
      { run: "live", opening: [1, 0], attempts: [], outcome: "undecided" },
    ]);
    expect(listing_left_out).toBe(0);
  });

  test("sums what the importers read and left out over all files", async () => {
    await fill(database.db, {});
    const file = { project_id: PROJECT, source: "tau", format: "openai-chat", rules: null, imported_at: NOW };
    const accounting = {
      runs: 2,
      orphan_results: 1,
      duplicates_skipped: { lines: 3 },
      left_out: { user_calls: 1, nothing: 0 },
    };
    await database.db
      .insertInto("import_file")
      .values([
        { ...file, sha256: "1", name: "a.json", accounting: JSON.stringify(accounting) },
        {
          ...file,
          sha256: "2",
          name: "b.json",
          accounting: JSON.stringify({ ...accounting, broken_lines: [{ file: "b.json", line: 7 }] }),
        },
      ])
      .execute();
    expect(await questions.summary(all)).toMatchObject({
      source: "tau",
      format: "openai-chat",
      rules: null,
      files: ["a.json", "b.json"],
      orphan_results: 2,
      duplicates_skipped: { lines: 6 },
      left_out: { user_calls: 2 },
      broken_lines: [{ file: "b.json", line: 7 }],
    });
  });
});
