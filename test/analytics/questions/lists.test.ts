import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databaseQuestions, type Questions } from "../../../analytics/questions/questions.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { clock, countRow, episodeRow, fill, minutesAgo, PROJECT, REPAIRED_NEXT_TURN } from "../../support/rows.ts";

let database: TestDatabase;
let questions: Questions;

beforeAll(async () => {
  database = await openTestDatabase();
  questions = databaseQuestions({ db: database.db, clock, projectId: PROJECT });
});
afterAll(() => database.close());

const all = { last: "all" } as const;
const gaveUp = { terminal_outcome: "unknown", funnel_row: "unresolved_unknown" } as const;

/** Calls for every tool that episodes name, so that each is a row of the list. */
const calledOnce = (tools: readonly string[]) =>
  tools.map((tool) =>
    countRow({ run_id: `calls ${tool}`, tool, first_rejected: 1, failure_class: "schema", fingerprint: `x:${tool}:y` }),
  );

describe("what hurts most", () => {
  test("unrepaired episodes in runs that did not complete come before any number of tokens, tokens before turns", async () => {
    await fill(database.db, {
      counts: calledOnce(["gives_up", "burns_tokens", "takes_turns", "completes_anyway"]),
      episodes: [
        episodeRow({ run_id: "1", tool: "gives_up", ...gaveUp }),
        episodeRow({
          run_id: "2",
          tool: "burns_tokens",
          ...REPAIRED_NEXT_TURN,
          attributed_input_tokens: 900_000,
          attributed_output_tokens: 1,
        }),
        episodeRow({ run_id: "3", tool: "takes_turns", ...REPAIRED_NEXT_TURN, extra_model_turns: 50 }),
        episodeRow({ run_id: "4", tool: "completes_anyway", terminal_outcome: "completed" }),
      ],
    });
    const { tools, total } = await questions.tools(all);
    expect(tools.map(({ key }) => key.tool)).toEqual(["gives_up", "burns_tokens", "takes_turns", "completes_anyway"]);
    expect(total).toBe(4);
    expect(tools[0]?.hurts).toEqual({ unrepaired_not_completed: 1, attributed_tokens: 0, extra_model_turns: 0 });
    expect(tools[1]?.hurts).toEqual({ unrepaired_not_completed: 0, attributed_tokens: 900_001, extra_model_turns: 1 });
  });

  test("risk weighs 1, 3, 10 and 10 in the order, and is not seen in the columns", async () => {
    const risks = {
      reads: ["read", 9],
      writes: ["write_reversible", 4],
      pays: ["write_irreversible", 2],
      nobody_said: ["unstated", 1],
    } as const;
    await fill(database.db, {
      counts: calledOnce(Object.keys(risks)),
      episodes: Object.entries(risks).flatMap(([tool, [risk, count]]) =>
        Array.from({ length: count }, (_, turn) => episodeRow({ run_id: tool, turn, tool, risk, ...gaveUp })),
      ),
    });
    const { tools } = await questions.tools(all);
    expect(tools.map(({ key, hurts }) => [key.tool, hurts.unrepaired_not_completed])).toEqual([
      ["pays", 2],
      ["writes", 4],
      ["nobody_said", 1],
      ["reads", 9],
    ]);
  });

  test("pending episodes hurt nobody yet", async () => {
    await fill(database.db, {
      counts: calledOnce(["pending", "settled"]),
      episodes: [
        ...[0, 1, 2].map((turn) =>
          episodeRow({ run_id: "1", turn, tool: "pending", settles_at: minutesAgo(-60), ...gaveUp }),
        ),
        episodeRow({ run_id: "2", tool: "settled", ...gaveUp }),
      ],
    });
    expect((await questions.tools(all)).tools.map(({ key }) => key.tool)).toEqual(["settled", "pending"]);
  });
});

describe("fingerprints", () => {
  test("are rows of their tool with its first attempts, their own facts, and terminal outcomes", async () => {
    await fill(database.db, {
      counts: [
        countRow({ run_id: "a", first_accepted: 18 }),
        countRow({
          run_id: "a",
          minute: minutesAgo(50),
          first_rejected: 1,
          failure_class: "schema",
          fingerprint: "invalid:start:date_format",
          rung: 1,
          retryability: "after_change",
        }),
        countRow({
          run_id: "b",
          minute: minutesAgo(20),
          first_rejected: 1,
          failure_class: "schema",
          fingerprint: "invalid:start:date_format",
          rung: 4,
          retryability: "after_change",
        }),
        countRow({ run_id: "b", first_accepted: 1, failure_class: "execution", fingerprint: "failed:$:other" }),
      ],
      episodes: [
        episodeRow({ run_id: "a", fingerprint: "invalid:start:date_format", ...REPAIRED_NEXT_TURN }),
        episodeRow({ run_id: "b", fingerprint: "invalid:start:date_format" }),
        episodeRow({ run_id: "b", kind: "recovery", failure_class: "execution", fingerprint: "failed:$:other" }),
      ],
    });
    const { fingerprints, total } = await questions.fingerprints(all);
    expect(total).toBe(1);
    expect(fingerprints[0]).toMatchObject({
      key: { tool: "search", fingerprint: "invalid:start:date_format" },
      failure_classes: ["schema"],
      retryabilities: ["after_change"],
      rungs: [1, 4],
      risks: ["read"],
      failed_calls: 2,
      first_seen: "2026-03-10T11:00:00.000Z",
      last_seen: "2026-03-10T11:00:00.000Z",
    });
    expect(fingerprints[0]?.rates.first_attempt_failure_rate).toMatchObject({ numerator: 2, denominator: 21 });
    expect(fingerprints[0]?.rates.first_repair_rate).toMatchObject({ numerator: 1, denominator: 2 });
    expect(fingerprints[0]?.terminal_outcomes.completed).toMatchObject({ numerator: 2, denominator: 2 });
    const recovery = await questions.fingerprints({ ...all, kind: "recovery" });
    expect(recovery.fingerprints.map(({ key }) => key.fingerprint)).toEqual(["failed:$:other"]);
  });

  test("the list is cut at its limit, worst first, and says how many there are", async () => {
    await fill(database.db, {
      counts: Array.from({ length: 30 }, (_, index) =>
        countRow({
          run_id: `r${index}`,
          first_rejected: 1,
          failure_class: "schema",
          fingerprint: `invalid:p${index}:type`,
        }),
      ),
      episodes: [episodeRow({ run_id: "r29", fingerprint: "invalid:p29:type", ...gaveUp })],
    });
    const { fingerprints, total } = await questions.fingerprints({ ...all, limit: "2" });
    expect(total).toBe(30);
    expect(fingerprints.map(({ key }) => key.fingerprint)).toEqual(["invalid:p29:type", "invalid:p0:type"]);
  });

  test("a failure without a fingerprint is a row too", async () => {
    await fill(database.db, { counts: [countRow({ run_id: "a", first_rejected: 1, failure_class: "schema" })] });
    const { fingerprints } = await questions.fingerprints(all);
    expect(fingerprints.map(({ key, failed_calls }) => [key.fingerprint, failed_calls])).toEqual([[null, 1]]);
  });
});
