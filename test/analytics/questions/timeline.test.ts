import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databaseQuestions, type Questions } from "../../../analytics/questions/questions.ts";
import { timelineAnswerSchema } from "../../../analytics/questions/timeline-answer.ts";
import { valuesAnswerSchema } from "../../../analytics/questions/values-answer.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import {
  clock,
  countRow,
  episodeRow,
  fill,
  minutesAgo,
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

const HOUR = 60;
const DAY = 24 * HOUR;

describe("the timeline", () => {
  test("has a point for each bucket with calls or episodes, with rates and terminal outcomes, and none between", async () => {
    await fill(database.db, {
      runs: [runRow({ run_id: "file", time_source: "import" })],
      counts: [
        countRow({ run_id: "a", minute: minutesAgo(2 * HOUR), first_accepted: 3 }),
        countRow({ run_id: "b", minute: minutesAgo(2 * HOUR - 1), first_rejected: 1, failure_class: "schema" }),
        countRow({ run_id: "file", minute: minutesAgo(5), first_accepted: 9 }),
      ],
      episodes: [
        episodeRow({ run_id: "b", opened_at: minutesAgo(2 * HOUR - 1), ...REPAIRED_NEXT_TURN }),
        episodeRow({ run_id: "c", opened_at: minutesAgo(30), settles_at: minutesAgo(-5) }),
      ],
    });
    const answer = await questions.timeline({ last: "24h" });
    expect(timelineAnswerSchema.safeParse(answer).error).toBeUndefined();
    expect(answer.bucket).toBe("hour");
    expect(answer.points).toMatchObject([
      {
        start: "2026-03-10T10:00:00.000Z",
        end: "2026-03-10T11:00:00.000Z",
        calls: 4,
        first_attempts: { total: 4, accepted: 3, rejected: 1 },
        episodes: { opened: 1, settled: 1, pending: 0 },
        extra_model_turns: 1,
        rates: { first_repair_rate: { numerator: 1, denominator: 1 }, completion_rate: { denominator: 2 } },
        terminal_outcomes: { completed: { numerator: 1, denominator: 1 } },
      },
      { start: "2026-03-10T11:00:00.000Z", calls: 0, episodes: { opened: 1, settled: 0, pending: 1 } },
    ]);
    expect(answer.runs_without_times).toBe(1);
    const minutes = await questions.timeline({ last: "3h" });
    expect(minutes.bucket).toBe("minute");
    expect(minutes.points.map(({ start, calls }) => [start.slice(11, 16), calls])).toEqual([
      ["10:00", 3],
      ["10:01", 1],
      ["11:30", 0],
    ]);
  });

  test("chooses minutes, hours or days by the length of the interval", async () => {
    await fill(database.db, {});
    const bucketOf = async (last: string) => (await questions.timeline({ last })).bucket;
    expect(await bucketOf("15m")).toBe("minute");
    expect(await bucketOf("3h")).toBe("minute");
    expect(await bucketOf("4h")).toBe("hour");
    expect(await bucketOf("5d")).toBe("hour");
    expect(await bucketOf("6d")).toBe("day");
    expect(await bucketOf("all")).toBe("day");
  });

  test.each([
    [{ last: "7h", bucket: "minute" }, /bucket is "minute", which is answered for up to 6 hours: send bucket=hour/],
    [
      { last: "90d", bucket: "hour" },
      /into 2160 parts, at most 500 are answered: send bucket=day, or ask for a shorter/,
    ],
    [{ last: "600d" }, /bucket=day divides the interval into 600 parts.*Example: last=365d&bucket=day/],
    [{ last: "1d", bucket: "week" }, /bucket is "week", expected one of minute, hour, day/],
  ])("refuses %j and says what to send", async (query, message) => {
    await expect(questions.timeline(query)).rejects.toThrow(expect.objectContaining({ field: "bucket" }));
    await expect(questions.timeline(query)).rejects.toThrow(message);
  });

  test("marks the first bucket of a version that was not in force, where the tool had another one", async () => {
    const calls = (run_id: string, minutes: number, given: object) =>
      countRow({ run_id, minute: minutesAgo(minutes), first_accepted: 1, ...given });
    await fill(database.db, {
      counts: [
        // In force before the interval, and all the time in it: no change.
        calls("1", 9 * DAY, { tool: "steady", schema_version: "v1" }),
        calls("2", 2 * DAY, { tool: "steady", schema_version: "v1" }),
        // A new version within the interval.
        calls("3", 5 * DAY, { tool: "search", schema_version: "v1", template_version: "t1" }),
        calls("4", 2 * DAY, { tool: "search", schema_version: "v2", template_version: "t1" }),
        calls("5", 1 * DAY, { tool: "search", schema_version: "v2", template_version: "t1" }),
        // Rolled back: v1 was known, v2 was in force when the interval began.
        calls("6", 20 * DAY, { tool: "book", schema_version: "v1" }),
        calls("7", 9 * DAY, { tool: "book", schema_version: "v2" }),
        calls("8", 3 * DAY, { tool: "book", schema_version: "v1" }),
        // Its first version ever, and one that nobody recorded before.
        calls("9", 3 * DAY, { tool: "new", schema_version: "v1" }),
        calls("10", 9 * DAY, { tool: "unnamed" }),
        calls("11", 2 * DAY, { tool: "unnamed", schema_version: "v1" }),
      ],
    });
    const { changes } = await questions.timeline({ last: "7d" });
    expect(changes).toEqual([
      { at: "2026-03-07T00:00:00.000Z", tool: "book", dimension: "schema_version", value: "v1" },
      { at: "2026-03-08T00:00:00.000Z", tool: "search", dimension: "schema_version", value: "v2" },
    ]);
    const ofOne = await questions.timeline({ last: "7d", tool: "search", bucket: "hour" });
    expect(ofOne.changes).toEqual([
      { at: "2026-03-08T12:00:00.000Z", tool: "search", dimension: "schema_version", value: "v2" },
    ]);
  });
});

describe("values", () => {
  test("are listed with calls, most first; a filter narrows every dimension but its own", async () => {
    await fill(database.db, {
      counts: [
        countRow({ run_id: "a", model: "m1", first_accepted: 3 }),
        countRow({ run_id: "a", tool: "book", model: "m2", first_accepted: 5 }),
        countRow({ run_id: "b", model: "m2", first_rejected: 1, failure_class: "schema", fingerprint: "x:y:z" }),
        countRow({ run_id: "old", tool: "gone", minute: minutesAgo(30 * DAY), first_accepted: 1 }),
      ],
    });
    const answer = await questions.values({ last: "7d", tool: "search" });
    expect(valuesAnswerSchema.safeParse(answer).error).toBeUndefined();
    expect(answer.dimensions.tool).toEqual([
      { value: "book", calls: 5 },
      { value: "search", calls: 4 },
    ]);
    expect(answer.dimensions.model).toEqual([
      { value: "m1", calls: 3 },
      { value: "m2", calls: 1 },
    ]);
    expect(answer.dimensions.fingerprint).toEqual([{ value: "x:y:z", calls: 1 }]);
    expect(answer.dimensions.schema_version).toEqual([{ value: null, calls: 4 }]);
    expect(answer.truncated).toEqual([]);
  });

  test("are at most 200 a dimension, and the answer says which are cut", async () => {
    await fill(database.db, {
      counts: Array.from({ length: 203 }, (_, index) =>
        countRow({ run_id: `r${index}`, model: `m${index}`, first_accepted: 1 }),
      ),
    });
    const { dimensions, truncated } = await questions.values({ last: "all" });
    expect(dimensions.model).toHaveLength(200);
    expect(truncated).toEqual(["model"]);
  });
});
