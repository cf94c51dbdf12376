import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { episodesAnswerSchema, runsAnswerSchema } from "../../../analytics/questions/list-answer.ts";
import type { EpisodesQuery, RunsQuery } from "../../../analytics/questions/page-query.ts";
import { databaseQuestions, type Questions } from "../../../analytics/questions/questions.ts";
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

const all = { last: "all" } as const;

describe("the list of episodes", () => {
  const places = async (query: EpisodesQuery) =>
    (await questions.episodes({ ...all, ...query })).episodes.map(({ run_id, turn }) => `${run_id} ${turn}`);

  beforeAll(() =>
    fill(database.db, {
      runs: [runRow({ run_id: "a", run_key: "0/0" })],
      episodes: [
        episodeRow({ run_id: "a", opened_at: minutesAgo(90), ...REPAIRED_NEXT_TURN, fingerprint: "x:y:z", rung: 4 }),
        episodeRow({
          run_id: "a",
          turn: 3,
          opened_at: minutesAgo(80),
          terminal_outcome: "exhausted",
          funnel_row: "unresolved_exhausted",
        }),
        episodeRow({ run_id: "b", turn: 1, opened_at: minutesAgo(70), settles_at: minutesAgo(-9), decided: false }),
        episodeRow({
          run_id: "b",
          turn: 2,
          opened_at: minutesAgo(70),
          settles_at: minutesAgo(-9),
          attributed_output_tokens: 5,
        }),
        episodeRow({ run_id: "c", kind: "denial", failure_class: "denied" }),
        episodeRow({ run_id: "waits" }),
      ],
      waiting: ["waits"],
    }),
  );

  test("is newest first, of the asked kind, and leaves out runs that wait", async () => {
    expect(await places({})).toEqual(["b 2", "b 1", "a 3", "a 0"]);
    expect(await places({ kind: "denial" })).toEqual(["c 0"]);
    const answer = await questions.episodes(all);
    expect(episodesAnswerSchema.safeParse(answer).error).toBeUndefined();
    expect(answer.total).toBe(4);
    expect(answer.episodes.at(-1)).toMatchObject({
      ...{ run_key: "0/0", tool: "search", fingerprint: "x:y:z", rung: 4, settled: true, repaired: true },
      ...{ funnel_row: "repaired_turn_1", extra_model_turns: 1, attributed_tokens: null },
    });
    expect(answer.episodes[0]).toMatchObject({ run_key: null, settled: false, attributed_tokens: 5 });
  });

  test.each<[EpisodesQuery, string[]]>([
    [{ row: "unresolved_exhausted" }, ["a 3"]],
    [{ row: ["undecided", "repaired_turn_1"] }, ["b 1", "a 0"]],
    [{ row: "unresolved_completed" }, ["b 2"]],
    [{ next_action: "gave_up", state: "settled" }, ["a 3"]],
    [{ state: "pending" }, ["b 2", "b 1"]],
    [{ outcome: "exhausted,unknown" }, ["a 3"]],
    [{ fingerprint: "x:y:z" }, ["a 0"]],
    [{ fingerprint: "null", state: "settled" }, ["a 3"]],
    [{ tool: "book" }, []],
  ])("%j asks for %j", async (query, expected) => {
    expect(await places(query)).toEqual(expected);
  });

  test("as many match as the funnel counts in its row", async () => {
    const { funnel } = (await questions.funnel(all)).overall;
    for (const { row, episodes } of funnel.rows) {
      expect((await questions.episodes({ ...all, row, state: "settled" })).total, row).toBe(episodes);
    }
    for (const { row, episodes } of funnel.open) {
      expect((await questions.episodes({ ...all, row, state: "pending" })).total, row).toBe(episodes);
    }
  });

  test("pages hold every row once, in order, though two opened at the same moment", async () => {
    const seen: string[] = [];
    let before: string | null | undefined;
    do {
      const page = await questions.episodes({ ...all, limit: "1", ...(before ? { before } : {}) });
      expect(page.total).toBe(4);
      seen.push(...page.episodes.map(({ run_id, turn }) => `${run_id} ${turn}`));
      before = page.next;
    } while (before);
    expect(seen).toEqual(["b 2", "b 1", "a 3", "a 0"]);
  });

  test.each<[string, EpisodesQuery, RegExp]>([
    ["row", { row: "repaired" }, /row is "repaired", expected one of repaired_turn_1/],
    ["row", { row: "" }, /row is empty: send a value, or leave row out\. Example: row=undecided/],
    ["next_action", { next_action: "gave_in" }, /Did you mean next_action=gave_up\?/],
    ["state", { state: "open" }, /state is "open", expected one of settled, pending/],
    ["outcome", { outcome: "complete" }, /Did you mean outcome=completed\?/],
    ["before", { before: "tomorrow" }, /no place in this list: send the value of next from the answer before/],
    ["before", { before: Buffer.from('["2026-03-10T12:00:00.000000Z","a"]').toString("base64url") }, /no place/],
  ])("refuses a wrong %s (%j)", async (field, query, message) => {
    const refused = questions.episodes({ ...all, ...query });
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toMatchObject({ field });
  });
});

describe("the list of runs", () => {
  const ids = async (query: RunsQuery) => (await questions.runs({ ...all, ...query })).runs.map(({ run_id }) => run_id);

  beforeAll(() =>
    fill(database.db, {
      runs: [
        runRow({ run_id: "done", started_at: minutesAgo(300), agent_name: "booker", model: "m1", turns: 4, calls: 3 }),
        runRow({ run_id: "bad", started_at: minutesAgo(200), outcome: "exhausted", run_key: "1/0" }),
        runRow({ run_id: "silent", started_at: minutesAgo(100), outcome: null, model: "m1", calls: 0 }),
        runRow({ run_id: "waits", started_at: minutesAgo(10) }),
      ],
      counts: [
        countRow({ run_id: "done", minute: minutesAgo(300), model: "m1", first_accepted: 1 }),
        countRow({ run_id: "done", minute: minutesAgo(20), tool: "book", model: "m1", first_accepted: 1 }),
        countRow({
          ...{ run_id: "bad", minute: minutesAgo(199), tool: "book", failure_class: "schema", fingerprint: "x:y:z" },
          ...{ first_rejected: 1, repair_rejected: 2 },
        }),
        countRow({ run_id: "waits", minute: minutesAgo(10), first_accepted: 1 }),
      ],
      episodes: [
        episodeRow({ run_id: "bad", settles_at: minutesAgo(-9) }),
        episodeRow({ run_id: "bad", turn: 5 }),
        episodeRow({ run_id: "bad", turn: 6, kind: "denial", failure_class: "denied" }),
      ],
      waiting: ["waits"],
    }),
  );

  test("is newest first with what was rejected, and leaves out runs that wait", async () => {
    const answer = await questions.runs(all);
    expect(runsAnswerSchema.safeParse(answer).error).toBeUndefined();
    expect(answer).toMatchObject({ total: 3, next: null });
    expect(answer.runs.map(({ run_id }) => run_id)).toEqual(["silent", "bad", "done"]);
    expect(answer.runs[1]).toMatchObject({
      ...{ run_key: "1/0", outcome: "exhausted", ended: true, rejected_calls: 3, episodes: 2, pending_episodes: 1 },
    });
    expect(answer.runs[2]).toMatchObject({ agent: "booker", model_turns: 4, calls: 3, rejected_calls: 0 });
  });

  test.each<[RunsQuery, string[]]>([
    [{ last: "90m" }, []],
    [{ last: "120m" }, ["silent"]],
    [{ last: "250m", tool: "book" }, ["bad", "done"]],
    [{ last: "30m", tool: "book" }, ["done"]],
    [{ last: "30m", tool: "book,search" }, []],
    [{ model: "m1" }, ["silent", "done"]],
    [{ outcome: "unknown,exhausted" }, ["silent", "bad"]],
    [{ fingerprint: "x:y:z" }, ["bad"]],
    [{ fingerprint: "x:y:z", tool: "search" }, []],
  ])("%j asks for %j: a run stands where its first call to the filtered tools does", async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  test("pages hold every run once", async () => {
    const first = await questions.runs({ ...all, limit: "2" });
    const second = await questions.runs({ ...all, limit: "2", before: first.next! });
    expect([...first.runs, ...second.runs].map(({ run_id }) => run_id)).toEqual(["silent", "bad", "done"]);
    expect(second).toMatchObject({ total: 3, next: null });
    await expect(questions.runs({ ...all, before: "x" })).rejects.toMatchObject({ field: "before" });
  });

  test("past its end is empty and still says how many there are", async () => {
    const { next } = await questions.runs({ ...all, limit: "2" });
    await database.db.deleteFrom("run").where("run_id", "=", "done").execute();
    expect(await questions.runs({ ...all, before: next! })).toMatchObject({ total: 2, runs: [], next: null });
  });
});
