import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FingerprintsAnswer, Group } from "../../../analytics/questions/answer.ts";
import { databaseQuestions, type Questions } from "../../../analytics/questions/questions.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { clock, countRow, fill, minutesAgo, PROJECT } from "../../support/rows.ts";
import { type Asked, type Counted, counted, toolOf } from "./counted-rows.ts";
import { type RandomInterval, type RandomRows, randomInterval, randomRows } from "./random-rows.ts";

let database: TestDatabase;
let questions: Questions;

beforeAll(async () => {
  database = await openTestDatabase();
  questions = databaseQuestions({ db: database.db, clock, projectId: PROJECT });
});
afterAll(() => database.close());

const RUNS = 30;
const always = () => true;

function query({ from, to }: RandomInterval) {
  if (from === null && to === null) return { last: "all" };
  return {
    ...(from === null ? {} : { from: from.toISOString() }),
    ...(to === null ? {} : { to: to.toISOString() }),
  };
}

/** The part of an answer that is counted anew from the rows. */
function numbers(group: Group): Counted {
  const { rates, funnel, terminal_outcomes } = group;
  const { numerator, denominator, pending } = rates.completion_rate;
  const { numerator: unchanged, denominator: comparable } = rates.unchanged_repeat_rate;
  const { total, p50, p90, max } = funnel.extra_turns;
  return {
    calls: group.calls.total,
    accepted: group.first_attempts.accepted,
    rejected: group.first_attempts.rejected,
    repairs: { accepted: group.repair_attempts.accepted, rejected: group.repair_attempts.rejected },
    runs: group.runs,
    completion: { numerator, denominator, pending },
    opened: funnel.opened,
    settled: funnel.settled,
    repaired: rates.eventual_repair_rate.numerator,
    unchanged: { numerator: unchanged, denominator: comparable },
    completed: terminal_outcomes.completed.numerator,
    extra: { total, p50, p90, max },
    tokens: funnel.usage.input_tokens,
    linkedByOrder: funnel.linked_by.order.numerator,
    rows: Object.fromEntries(
      [...funnel.rows].sort((a, b) => (a.row < b.row ? -1 : 1)).map(({ row, episodes }) => [row, episodes]),
    ),
  };
}

function check(law: (rows: RandomRows, interval: RandomInterval) => Promise<void>): Promise<void> {
  return fc.assert(
    fc.asyncProperty(randomRows, randomInterval, async (rows, interval) => {
      await fill(database.db, rows);
      await law(rows, interval);
    }),
    { numRuns: RUNS },
  );
}

describe("for any rows and any interval of whole minutes", { timeout: 120_000 }, () => {
  test("the whole and every tool are counted as the rows themselves are, whatever the rollups hold", () =>
    check(async (rows, interval) => {
      const expected = (asked: Partial<Asked>) =>
        counted(rows, { interval, base: always, narrow: always, perTool: false, ...asked });
      const { overall, tools } = await questions.tools({ ...query(interval), limit: "200" });
      expect(numbers(overall)).toEqual(expected({}));
      for (const group of tools) {
        expect(numbers(group)).toEqual(expected({ base: (row) => toolOf(row) === group.key.tool, perTool: true }));
      }
      expect(tools.reduce((sum, { calls }) => sum + calls.total, 0)).toBe(overall.calls.total);
    }));

  test("a filter on one tool, on two, and on a failure asks for the same as the rows", () =>
    check(async (rows, interval) => {
      const asked = async (filter: Readonly<Record<string, string>>, of: Partial<Asked>) => {
        const { overall } = await questions.funnel({ ...query(interval), ...filter });
        expect(numbers(overall)).toEqual(
          counted(rows, { interval, base: always, narrow: always, perTool: false, ...of }),
        );
      };
      await asked({ tool: "search@jira" }, { base: (row) => toolOf(row) === "search@jira", perTool: true });
      await asked({ model: "m1" }, { base: ({ model }) => model === "m1" });
      await asked(
        { fingerprint: "invalid:a:type", risk: "read" },
        { base: ({ risk }) => risk === "read", narrow: ({ fingerprint }) => fingerprint === "invalid:a:type" },
      );
      const ofTools = rows.counts.filter(({ tool }) => tool === "search");
      const { overall } = await questions.funnel({ ...query(interval), tool: "search" });
      const expected = counted(
        { ...rows, counts: ofTools },
        {
          interval,
          base: ({ tool }) => tool === "search",
          narrow: always,
          perTool: false,
        },
      );
      const { runs, completion, ...rest } = numbers(overall);
      expect(rest).toMatchObject({ calls: expected.calls, opened: expected.opened, tokens: expected.tokens });
      if (new Set(ofTools.map(toolOf)).size > 1)
        expect({ runs, completion }).toEqual({ runs: expected.runs, completion: expected.completion });
    }));

  test("days and hours divide what has times, and sum to it", () =>
    check(async (rows, interval) => {
      const timed = (row: { readonly run_id: string }) =>
        rows.runs.some(({ run_id, time_source }) => run_id === row.run_id && time_source !== "import");
      for (const [by, length] of [
        ["day", 10],
        ["hour", 13],
      ] as const) {
        const { groups } = await questions.funnel({ ...query(interval), group_by: by });
        for (const group of groups) {
          const start = String(group.key[by]).slice(0, length);
          const expected = counted(rows, {
            interval,
            base: (row) =>
              timed(row) &&
              (("minute" in row ? row.minute : row.opened_at) as Date).toISOString().slice(0, length) === start,
            narrow: always,
            perTool: false,
          });
          expect(numbers(group)).toEqual(expected);
        }
        const all = counted(rows, { interval, base: timed, narrow: always, perTool: false });
        expect(groups.reduce((sum, { calls }) => sum + calls.total, 0)).toBe(all.calls);
        expect(groups.reduce((sum, { funnel }) => sum + funnel.opened, 0)).toBe(all.opened);
        const { points } = await questions.timeline({ ...query(interval), bucket: by });
        expect(points.map(({ calls }) => calls)).toEqual(groups.map(({ calls }) => calls.total));
        expect(points.map(({ rates }) => rates)).toEqual(groups.map(({ rates }) => rates));
      }
    }));

  test("a fingerprint is counted among its tool's calls, and was seen when its rows say", () =>
    check(async (rows, interval) => {
      const { fingerprints } = await questions.fingerprints({ ...query(interval), limit: "200" });
      for (const row of fingerprints) {
        const isOf = (other: { readonly fingerprint: string | null }) => other.fingerprint === row.key.fingerprint;
        const { extra: _, ...expected } = counted(rows, {
          interval,
          base: (other) => toolOf(other) === row.key.tool,
          narrow: isOf,
          perTool: true,
        });
        const { extra: __, ...found } = numbers(row);
        expect(found).toEqual(expected);
        expect(seen(row)).toEqual(seenIn(rows, interval, row));
      }
    }));
});

type Row = FingerprintsAnswer["fingerprints"][number];
const seen = ({ failed_calls, first_seen, last_seen }: Row) => ({ failed_calls, first_seen, last_seen });

function seenIn(rows: RandomRows, { from, to }: RandomInterval, { key }: Row): ReturnType<typeof seen> {
  const failed = rows.counts.filter(
    (row) =>
      row.failure_class !== null &&
      row.fingerprint === key.fingerprint &&
      toolOf(row) === key.tool &&
      !rows.waiting.includes(row.run_id) &&
      (from === null || (row.minute as Date) >= from) &&
      (to === null || (row.minute as Date) < to),
  );
  const hours = failed.map(({ minute }) => `${(minute as Date).toISOString().slice(0, 13)}:00:00.000Z`).sort();
  return {
    failed_calls: failed.reduce((sum, { calls }) => sum + calls, 0),
    first_seen: hours[0] ?? null,
    last_seen: hours.at(-1) ?? null,
  };
}

test("more waiting runs than are named one by one are taken away alike", async () => {
  const runs = Array.from({ length: 2_050 }, (_, index) => `r${index}`);
  await fill(database.db, {
    counts: [...runs, "linked"].map((run_id) => countRow({ run_id, minute: minutesAgo(3_000), first_accepted: 1 })),
    waiting: runs,
  });
  const { overall, runs_waiting } = await questions.funnel({ last: "all" });
  expect(runs_waiting).toBe(2_050);
  expect(overall).toMatchObject({ runs: 1, first_attempts: { total: 1 } });
});
