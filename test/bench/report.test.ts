import { describe, expect, test } from "vitest";
import { helpText, readArguments, UsageError } from "../../bench/arguments.ts";
import { spreadOf } from "../../bench/measure.ts";
import type { Question, Result } from "../../bench/question.ts";
import { section, withSection } from "../../bench/report.ts";

const question = (name: string): Question => ({
  ...{ name, title: `Title of ${name}`, summary: "What it asks.", fullCalls: 1_000, fullRounds: 3 },
  ask: () => Promise.reject(new Error("not asked here")),
});
const [one, other] = [question("one"), question("other")];
const result: Result = {
  sizes: { calls: "1,000" },
  tables: [{ head: ["", "ms"], rows: [["raw", "12 (10 to 14)"]] }],
  notes: ["A note."],
  promises: [{ text: "twice as fast", kept: false }],
  numbers: {},
};
const machine = { node: "Node 24.0.0", cores: 2, load: [0.5, 1.5] } as const;

describe("RESULTS.md", () => {
  const text = section(one, result, machine);

  test("a section states sizes, versions, cores and load, and a promise that was not kept", () => {
    expect(text).toContain("- calls: 1,000\n- machine: 2 cores, Node 24.0.0, load average 0.50 before and 1.50 after");
    expect(text).toContain("| raw | 12 (10 to 14) |");
    expect(text).toContain("- twice as fast: **not kept**");
  });

  test("one question's new section takes the place of its last one and leaves the others as they are", () => {
    const both = [one, other];
    const first = withSection("", both, other, section(other, result, machine));
    const second = withSection(first, both, one, text);
    const third = withSection(second, both, one, text.replace("A note.", "Another note."));
    expect(third).toBe(second.replace("A note.", "Another note."));
    expect(third.match(/^## .*$/gm)).toEqual(["## Title of one", "## Title of other"]);
    expect(third).toContain("Only ratios");
  });
});

describe("arguments", () => {
  const read = (...args: string[]) => readArguments(args, [one, other]);

  test("without a name every question is asked", () => {
    expect(read()).toMatchObject({ questions: [one, other], calls: undefined, rounds: undefined, json: false });
    expect(read("other", "--calls", "50", "--rounds=2", "--json")).toMatchObject({
      ...{ questions: [other], calls: 50, rounds: 2, json: true },
    });
  });

  test.each([
    [["three"], /"three" is no question of the benchmark; write one or other/],
    [["--calls", "many"], /--calls is "many"; write a whole number from 1 to 10000000/],
    [["--rounds", "0"], /--rounds is "0"; write a whole number from 1 to 1000/],
    [["--fast"], /--fast/],
  ])("%j is refused with what to write instead", (args, message) => {
    expect(() => read(...args)).toThrow(UsageError);
    expect(() => read(...args)).toThrow(message);
  });

  test("the help names every question, option and exit code", () => {
    const help = helpText([one, other]);
    for (const word of ["one", "other", "--calls", "--rounds", "--json", "MULLIGAN_BENCH_DATABASE_URL", "3 skipped"]) {
      expect(help).toContain(word);
    }
  });
});

test("a spread is the median with the least and the most, and no rounds have none", () => {
  expect(spreadOf([3, 1, 2])).toMatchObject({ median: 2, least: 1, most: 3 });
  expect(spreadOf([4, 1, 2, 3])).toMatchObject({ median: 2.5 });
  expect(() => spreadOf([])).toThrow(RangeError);
});
