import { afterAll, describe, expect, test } from "vitest";
import { databaseQuestions } from "../../analytics/questions/questions.ts";
import { AS_OF, LONGEST_RUN_SECONDS, linkCalls, makeCalls } from "../../bench/answers/data.ts";
import { compare, NUMBER_NAMES, type NumberedGroup, numbersOf } from "../../bench/answers/numbers.ts";
import { rawNumbers } from "../../bench/answers/raw.ts";
import { answers } from "../../bench/answers.ts";
import { type BenchDatabase, withDatabase } from "../../bench/database.ts";
import { benchServer, smallOptions } from "./server.ts";

const server = await benchServer();
if (server === null) process.stderr.write("skipped: the benchmark of answers (no PostgreSQL found)\n");

describe.skipIf(server === null)("the benchmark of answers", () => {
  afterAll(() => server?.close());
  const options = () => smallOptions(server!.url, 10_000);

  test("answers and raw calls give the same numbers, over a thousand calls and over more", async () => {
    // `ask` itself throws where a number differs.
    const { numbers, promises } = await answers.ask(options());
    const { questions } = numbers as { questions: { name: string; compared: number }[] };
    expect(questions.map(({ name }) => name)).toEqual([
      "overview, 90 days",
      "overview, 90 days, counts only",
      "funnel, 90 days",
      "funnel, 7 days from minute to minute",
      "funnel, 90 days, one tool",
    ]);
    const ofOneGroup = NUMBER_NAMES.length;
    // Everything, six tools, and each tool's two fingerprints.
    expect(questions[0]?.compared).toBeGreaterThan(18 * ofOneGroup * 0.8);
    expect(questions[1]?.compared).toBeLessThan(questions[0]!.compared);
    for (const { compared } of questions.slice(2)) expect(compared).toBe(ofOneGroup);
    // A small size shows nothing of what was promised of a million.
    expect(promises).toEqual([]);
  });

  test("the data hold every row of the funnel, pending episodes, and about four rejected calls in a hundred", () =>
    withDatabase(server!.url, async ({ db }: BenchDatabase) => {
      const { said: _, calls, ...given } = options();
      await makeCalls(db, calls, given); // ten times as many calls: the last runs are then still going on
      await linkCalls(db, given.signal);
      const questions = databaseQuestions({ db, clock: () => AS_OF, projectId: 1 });
      const { overall } = await questions.funnel({ last: "90d" });
      expect(overall.funnel.rows.map(({ row }) => row)).toEqual([
        "repaired_turn_1",
        "repaired_turn_2",
        "repaired_late",
        "unresolved_completed",
        "unresolved_unsuccessful",
        "unresolved_escalated",
        "unresolved_blocked",
        "unresolved_exhausted",
        "unresolved_failed",
        "unresolved_unknown",
      ]);
      expect(overall.calls.total).toBe(calls * 10);
      expect(overall.funnel.pending).toBeGreaterThan(0);
      const rejected = overall.first_attempts.rejected + overall.repair_attempts.rejected;
      expect(rejected / overall.calls.total).toBeGreaterThan(0.035);
      expect(rejected / overall.calls.total).toBeLessThan(0.045);
      const interval = { from: new Date(AS_OF.getTime() - 90 * 86_400_000), to: AS_OF, asOf: AS_OF };
      const raw = await rawNumbers(db, { ...interval, groups: false, longestRunSeconds: LONGEST_RUN_SECONDS });
      expect(compare([numbersOf(overall)], raw)).toEqual({ compared: NUMBER_NAMES.length, differences: [] });
    }));
});

describe("comparing", () => {
  const group = (tool: string | null, numbers: object = {}): NumberedGroup => ({
    ...{ tool, fingerprint: null },
    numbers: { ...(Object.fromEntries(NUMBER_NAMES.map((name) => [name, 1])) as NumberedGroup["numbers"]), ...numbers },
  });

  test("a number that differs is named with both values", () => {
    expect(compare([group("book", { late_repair: 3 })], [group("book")]).differences).toEqual([
      "book, late_repair: 3 in the answer, 1 from raw calls",
    ]);
  });

  test("a group that only one side has is a difference", () => {
    expect(compare([group(null), group("book")], [group(null), group("search")]).differences).toEqual([
      "book: only in the answer",
      "search: only from raw calls",
    ]);
  });
});
