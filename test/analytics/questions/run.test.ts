import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databaseQuestions, type Questions } from "../../../analytics/questions/questions.ts";
import { runAnswerSchema } from "../../../analytics/questions/run-answer.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import {
  callRow,
  clock,
  episodeRow,
  fill,
  insertCalls,
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

describe("a run", () => {
  test("comes with its turns, calls, links and children, in their order", async () => {
    await fill(database.db, {
      runs: [
        runRow({ run_id: "tau/0/0", run_key: "0/0", turns: 2, calls: 2, outcome: null }),
        runRow({ run_id: "child", parent_run_id: "tau/0/0" }),
      ],
      episodes: [episodeRow({ run_id: "tau/0/0", ...REPAIRED_NEXT_TURN })],
    });
    await insertCalls(database.db, [
      callRow({ run_id: "tau/0/0", turn: 1, signature: "b".repeat(32) }),
      callRow({ run_id: "tau/0/0", turn: 0, verdict: "rejected", failure_class: "schema", tool_source: "github" }),
    ]);
    await database.db
      .insertInto("attempt")
      .values({
        project_id: PROJECT,
        run_id: "tau/0/0",
        kind: "repair",
        opening_turn: 0,
        opening_ordinal: 0,
        attempt: 1,
        turn: 1,
        ordinal: 0,
        evidence: "digest",
      })
      .execute();
    const answer = await questions.run("tau/0/0");
    expect(runAnswerSchema.safeParse(answer).error).toBeUndefined();
    expect(answer?.run).toMatchObject({
      run_id: "tau/0/0",
      run_key: "0/0",
      outcome: null,
      child_runs: ["child"],
      waiting: false,
    });
    expect(answer?.calls.map(({ turn, tool, verdict }) => [turn, tool, verdict])).toEqual([
      [0, "search@github", "rejected"],
      [1, "search", "accepted"],
    ]);
    expect(answer?.episodes).toMatchObject([
      {
        opening: { turn: 0, ordinal: 0 },
        attempts: [{ turn: 1, ordinal: 0, evidence: "digest" }],
        settled: true,
        repaired: true,
      },
    ]);
    expect((await questions.run("0/0"))?.run.run_id).toBe("tau/0/0");
  });

  test("that waits to be linked says so", async () => {
    await fill(database.db, { runs: [runRow({ run_id: "a" })], waiting: ["a"] });
    expect((await questions.run("a"))?.run.waiting).toBe(true);
  });

  test("that nobody knows is null, and a run key of several runs is answered with their ids", async () => {
    await fill(database.db, { runs: ["m1/0/0", "m2/0/0"].map((run_id) => runRow({ run_id, run_key: "0/0" })) });
    expect(await questions.run("nobody")).toBeNull();
    await expect(questions.run("0/0")).rejects.toThrow(
      /run key of several runs: m1\/0\/0, m2\/0\/0\. Ask for one of these ids/,
    );
  });
});
