import { describe, expect, test } from "vitest";
import { type CountedCall, type CountedRun, countCalls } from "../../../analytics/episodes/count.ts";
import type { CallRole } from "../../../analytics/episodes/episodes.ts";
import { readVectors, runOf } from "./vector-run.ts";

const run = runOf(readVectors("scenarios.json").find(({ name }) => name === "repaired-next-turn")!, false);
const accepted = run.calls[1]!;
const at = (time: string) => Date.parse(`2026-11-03T${time}Z`);

function count(calls: readonly Partial<CountedCall>[], role: CallRole = "first") {
  const whole = calls.map((call, index) => ({ ...accepted, ...call, key: String(index) }));
  return countCalls({ ...run, calls: whole }, new Map(whole.map(({ key }) => [key, role])));
}

describe("rows of counts", () => {
  test("calls of one minute and cohort share a row, which keeps the time of the first", () => {
    const calls = [
      { startedAt: at("10:00:59.999") },
      { startedAt: at("10:00:00.000") },
      { startedAt: at("10:01:00.000") },
    ];
    expect(count(calls)).toMatchObject([
      { minute: at("10:00:00"), firstCallAt: at("10:00:00"), calls: 2, firstAccepted: 2 },
      { minute: at("10:01:00"), firstCallAt: at("10:01:00"), calls: 1 },
    ]);
  });

  test.each([
    ["tool", "other"],
    ["toolSource", "server"],
    ["schemaVersion", "v2"],
    ["templateVersion", "t2"],
    ["fingerprint", "invalid:start:type"],
    ["failureClass", "execution"],
    ["rung", 3],
    ["retryability", "as_is"],
    ["model", "other"],
    ["agentName", "agent"],
    ["environment", "test"],
    ["risk", "read"],
    ["external", true],
    ["timed", false],
    ["flags", { tier: "gold" }],
  ] as const)("another %s is another row, which holds it", (field, value) => {
    const rows = count([{}, { [field]: value }]);
    expect(rows.map((row) => row[field])).toEqual([accepted[field], value]);
  });

  test("a missing value is no value, and not the text of one", () => {
    expect(count([{ model: null }, { model: "null" }])).toHaveLength(2);
  });
});

describe("counters", () => {
  const verdicts = [{ verdict: "accepted" }, { verdict: "rejected" }, { verdict: "unknown" }] as const;

  test.each([
    ["first", verdicts.slice(0, 2), { firstAccepted: 1, firstRejected: 1 }],
    ["repair", verdicts, { repairAccepted: 1, repairRejected: 1, repairUnknown: 1 }],
    ["unknown", verdicts.slice(2), { unpairedUnknown: 1 }],
  ] as const)("calls of role %s count by their verdict, each in one counter", (role, calls, expected) => {
    const [row] = count(calls, role);
    const zero = { firstAccepted: 0, firstRejected: 0, repairAccepted: 0, repairRejected: 0, repairUnknown: 0 };
    expect(row).toMatchObject({ ...zero, unpairedUnknown: 0, ...expected, calls: calls.length });
  });

  test("data health looks at accepted calls: not validated, corrected, against their schema", () => {
    const flags = { validated: false, corrected: true, schemaVerdict: "rejected" };
    expect(count([flags])).toMatchObject([{ notValidated: 1, corrected: 1, againstSchema: 1 }]);
    expect(count([{ ...flags, verdict: "rejected" }])).toMatchObject([
      { notValidated: 0, corrected: 0, againstSchema: 0 },
    ]);
    const notStated = { validated: null, corrected: null, schemaVerdict: null };
    expect(count([notStated])).toMatchObject([{ notValidated: 0, corrected: 0, againstSchema: 0 }]);
  });

  test("results and inferred turns are counted whatever the verdict", () => {
    const calls = [{ verdict: "rejected", hasResult: true, turnSource: "inferred" }, { hasResult: false }] as const;
    expect(count(calls)).toMatchObject([{ calls: 2, results: 1, inferredTurns: 1 }]);
  });
});

describe("where a run stands", () => {
  const completed = { ...run, ended: true, outcome: "completed" };
  const rows = (calls: readonly Partial<CountedCall>[], of: CountedRun = completed) => {
    const whole = calls.map((call, index) => ({ ...accepted, turn: 0, ordinal: index, ...call, key: String(index) }));
    const roles = new Map(whole.map(({ key }) => [key, "first" as const]));
    // In whatever order calls come.
    const counts = countCalls({ ...of, calls: whole.toReversed() }, roles);
    return counts.map(({ tool, model, runs, toolRuns }) => ({ tool, model, runs, toolRuns }));
  };

  test("is the row of its first call, and of its first call to a tool the row of that", () => {
    const calls = [
      { startedAt: at("10:00:02"), tool: "a", model: "late" },
      { startedAt: at("10:00:01"), tool: "b" },
      { startedAt: at("10:00:00"), tool: "a", model: "early" },
    ];
    expect(rows(calls)).toEqual([
      { tool: "a", model: "early", runs: 1, toolRuns: 1 },
      { tool: "b", model: accepted.model, runs: 0, toolRuns: 1 },
      { tool: "a", model: "late", runs: 0, toolRuns: 0 },
    ]);
  });

  test("of calls that start at once is that of the one with the earlier turn, then ordinal", () => {
    const startedAt = at("10:00:00");
    expect(
      rows([
        { startedAt, model: "2", turn: 1, ordinal: 0 },
        { startedAt, model: "1", turn: 0, ordinal: 1 },
        { startedAt, model: "0", turn: 0, ordinal: 0 },
      ]),
    ).toMatchObject([
      { model: "0", runs: 1, toolRuns: 1 },
      { model: "1", runs: 0, toolRuns: 0 },
      { model: "2", runs: 0, toolRuns: 0 },
    ]);
  });

  test("two servers' tools of one name are two tools", () => {
    const calls = [
      { startedAt: at("10:00:00"), toolSource: "one" },
      { startedAt: at("10:00:01"), toolSource: "two" },
    ];
    expect(rows(calls)).toMatchObject([
      { runs: 1, toolRuns: 1 },
      { runs: 0, toolRuns: 1 },
    ]);
  });

  test.each([
    [{ ended: true, outcome: "completed" }, [1, 1, 1, 1]],
    [{ ended: true, outcome: "failed" }, [1, 1, 1, 0]],
    [{ ended: true, outcome: null }, [1, 1, 0, 0]],
    [{ ended: false, outcome: null }, [1, 0, 0, 0]],
    // An outcome that came before the end of the run may yet change.
    [{ ended: false, outcome: "completed" }, [1, 0, 0, 0]],
  ])("a run of %o stands, has ended, is of known outcome, is completed: %j", (of, expected) => {
    const [row] = countCalls({ ...run, ...of, calls: [accepted] }, new Map([[accepted.key, "first"]]));
    expect([row!.runs, row!.runsEnded, row!.runsKnown, row!.runsCompleted]).toEqual(expected);
    expect([row!.toolRuns, row!.toolRunsEnded, row!.toolRunsKnown, row!.toolRunsCompleted]).toEqual(expected);
  });
});
