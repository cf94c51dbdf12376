import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { assemblePending } from "../../collector/assembler.ts";
import { ImportRefusedError, importFile, surveyFile } from "../../collector/import.ts";
import { type Rules, readRules } from "../../collector/rules.ts";
import { createStore } from "../../collector/store.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";
import { answers, calls, says, user } from "./transcripts/reading.ts";

const KEY = "mulligan-test-key";
const PROJECT = 1;
const START = new Date("2026-01-15T12:00:00Z");

let database: TestDatabase;
let folder: string;
let now = START;
const clock = () => now;

beforeAll(async () => {
  database = await openTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "mulligan-import-"));
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  now = START;
  for (const table of ["observation", "unassembled", "run", "turn", "call", "dirty_run", "import_file"]) {
    await sql`delete from ${sql.table(table)}`.execute(database.db);
  }
});

const rules = (...list: object[]): Rules => readRules("rules.json", Buffer.from(JSON.stringify(list)));
const ERRORS = rules({ text: "^Error", class: "tool_input" });

async function file(name: string, content: string | Uint8Array | object): Promise<string> {
  const path = join(folder, name);
  const bytes = typeof content === "string" || content instanceof Uint8Array ? content : JSON.stringify(content);
  await writeFile(path, bytes);
  return path;
}

interface Given {
  readonly rules?: Rules | null;
  readonly source?: string;
  readonly signingKey?: string;
  readonly format?: string;
}

async function imports(path: string, given: Given = {}) {
  const { db } = database;
  const report = await importFile({
    db,
    store: createStore({ db, clock, projectId: PROJECT }),
    projectId: PROJECT,
    clock,
    path,
    format: given.format ?? "auto",
    rules: given.rules === undefined ? ERRORS : given.rules,
    source: given.source ?? null,
    signingKey: given.signingKey ?? KEY,
  });
  await assemblePending(db, { clock, projectId: PROJECT });
  return report;
}

/** Everything stored, but for arrival times of the log. */
async function contents() {
  const { db } = database;
  const rows = async (table: "observation" | "run" | "turn" | "call", order: string) =>
    (await sql<object>`select * from ${sql.table(table)} order by ${sql.raw(order)}`.execute(db)).rows;
  return {
    observations: await rows("observation", "trace_id, span_id"),
    runs: await rows("run", "run_id"),
    turns: await rows("turn", "run_id, turn"),
    calls: await rows("call", "run_id, turn, ordinal"),
  };
}

async function storedCalls() {
  const { db } = database;
  return db.selectFrom("call").selectAll().orderBy("run_id").orderBy("turn").orderBy("ordinal").execute();
}

const book = (n: number, result?: string, trial = 0) => ({
  task_id: n,
  trial,
  reward: 1,
  traj: [
    user("hi"),
    says("when?"),
    calls(["a", "book", `{"n":${n}}`]),
    ...(result === undefined ? [] : [answers("a", result)]),
  ],
});

describe("an imported run", () => {
  test("has ended, stands at the time of its import with turns a second apart, and measures no durations", async () => {
    await imports(await file("one.json", [book(1, "Error: full")]));
    const { db } = database;
    const run = await db.selectFrom("run").selectAll().executeTakeFirstOrThrow();
    expect(run).toMatchObject({
      run_id: "one/1/0",
      run_key: "1/0",
      source: "one",
      time_source: "import",
      ended: true,
      outcome: "completed",
      turns: 2,
      text_only_turns: 1,
      calls: 1,
      started_at: START,
    });
    const turns = await db
      .selectFrom("turn")
      .select(["start_time", "duration_ms", "input_tokens"])
      .orderBy("turn")
      .execute();
    expect(turns.map((turn) => turn.start_time.getTime() - START.getTime())).toEqual([0, 1000]);
    expect(turns.every((turn) => turn.duration_ms === null && turn.input_tokens === null)).toBe(true);
    expect(await storedCalls()).toMatchObject([
      {
        tool: "book",
        verdict: "rejected",
        failure_class: "tool_input",
        execution_attempts: 1,
        duration_ms: null,
        has_result: true,
      },
    ]);
  });

  test("a call without a result is unknown", async () => {
    await imports(await file("open.json", [book(1)]));
    expect(await storedCalls()).toMatchObject([{ verdict: "unknown", has_result: false, failure_class: null }]);
  });

  test("runs of two sources or models are never one, though their keys are equal", async () => {
    await imports(await file("gpt.json", [book(1, "1")]));
    await imports(await file("claude.json", [book(1, "1")]));
    await imports(
      await file("models.json", [
        { ...book(1, "1"), model: "m1" },
        { ...book(1, "1"), model: "m2" },
      ]),
    );
    const runs = await database.db.selectFrom("run").select("run_id").orderBy("run_id").execute();
    expect(runs.map((run) => run.run_id)).toEqual(["claude/1/0", "gpt/1/0", "models/1/0@m1", "models/1/0@m2"]);
  });
});

describe("reading again", () => {
  test("the same content is not even read, and changes nothing", async () => {
    const path = await file("again.json", [book(1, "Error: full"), book(2, "2")]);
    const first = await imports(path);
    const before = await contents();
    now = new Date("2026-03-01T00:00:00Z");
    const second = await imports(path);
    expect(second.importedBefore).toEqual(START);
    expect(second.accounting).toEqual(first.accounting);
    expect(await contents()).toEqual(before);
  });

  test("another file with the same runs adds nothing, and says what it skipped", async () => {
    await imports(await file("a.json", [book(1, "Error: full"), book(2, "2")]), { source: "s" });
    const before = await contents();
    now = new Date("2026-03-01T00:00:00Z");
    const report = await imports(await file("b.json", [book(2, "2"), book(1, "Error: full")]), { source: "s" });
    expect(report.accounting.duplicates_skipped).toEqual({ lines: 6, turns: 4, calls: 2, results: 2 });
    expect(await contents()).toEqual(before);
  });

  test("a longer copy gives the run that it would have given alone, in either order", async () => {
    const short = await file("short.json", [{ ...book(1), reward: undefined }]);
    const long = await file("long.json", [
      { ...book(1, "Error: full"), traj: [...book(1, "Error: full").traj, says("sorry")] },
    ]);
    const results = [];
    for (const order of [[short, long], [long, short], [long]]) {
      await database.db.deleteFrom("import_file").execute();
      for (const table of ["observation", "run", "turn", "call"])
        await sql`delete from ${sql.table(table)}`.execute(database.db);
      for (const path of order) await imports(path, { source: "s" });
      results.push(await contents());
    }
    expect(results[0]).toEqual(results[2]);
    expect(results[1]).toEqual(results[2]);
  });

  test("other rules replace the classes and keep the run's time", async () => {
    const path = await file("rules.json", [book(1, "Error: full")]);
    await imports(path, { rules: null });
    expect(await storedCalls()).toMatchObject([{ verdict: "accepted" }]);
    now = new Date("2026-03-01T00:00:00Z");
    const report = await imports(path, { rules: ERRORS });
    expect(report.accounting).toMatchObject({ lines_replaced: 1, duplicates_skipped: {} });
    expect(await storedCalls()).toMatchObject([{ verdict: "rejected", start_time: new Date(START.getTime() + 1000) }]);
    expect(await database.db.selectFrom("import_file").select("rules").execute()).toEqual([{ rules: "rules.json" }]);
  });

  test("another key signs the same runs anew", async () => {
    const path = await file("keys.json", [book(1, "1")]);
    await imports(path);
    const [before] = await storedCalls();
    await imports(path, { signingKey: "another-key-of-16" });
    const after = await storedCalls();
    expect(after).toHaveLength(1);
    expect(after[0]!.key_id).not.toBe(before!.key_id);
  });

  test("different runs under one key are kept apart, and stay the same when read again", async () => {
    const path = await file("clash.json", [
      book(1, "1"),
      { ...book(2, "2"), task_id: 1 },
      { ...book(3, "3"), task_id: 1 },
    ]);
    const report = await imports(path, { source: "s" });
    expect(report.accounting.runs_kept_apart).toBe(2);
    const before = await contents();
    expect(before.runs).toHaveLength(3);
    const copy = await imports(
      await file("copy.json", `${JSON.stringify([book(1, "1"), { ...book(3, "3"), task_id: 1 }])} `),
      {
        source: "s",
      },
    );
    expect(copy.accounting.runs_kept_apart).toBe(0);
    expect(await contents()).toEqual(before);
  });

  test("many runs in several batches give what each gives alone", async () => {
    const many = Array.from({ length: 420 }, (_, n) => book(n, n % 7 === 0 ? "Error: x" : "1"));
    await imports(await file("many.jsonl", many.map((run) => JSON.stringify(run)).join("\n")), { source: "s" });
    const whole = await contents();
    expect(whole.runs).toHaveLength(420);
    expect(whole.calls.filter((call) => "verdict" in call && call.verdict === "rejected")).toHaveLength(60);
    const half = await imports(await file("half.json", many.slice(210)), { source: "s" });
    expect(half.accounting.duplicates_skipped.calls).toBe(210);
    expect(await contents()).toEqual(whole);
  });
});

describe("accounting", () => {
  test("everything in a file is counted, with file and line for what was not read", async () => {
    const lines = [
      book(1, "Error: full"),
      { messages: [says("hi"), answers("zz", "late"), { role: "narrator" }] },
      { task_id: 9, traj: [calls(["a", "book", "{}"], ["b", "book", "{}"]), answers("b", "ok")] },
    ].map((line) => JSON.stringify(line));
    const path = await file("mixed.jsonl", [lines[0], '{"messages": [', lines[1], lines[2]].join("\n"));
    const { accounting } = await imports(path);
    expect(accounting).toMatchObject({
      file: "mixed.jsonl",
      source: "mixed",
      format: "openai-chat",
      rules: "rules.json",
      runs: 3,
      turns: 4,
      text_only_turns: 2,
      calls: 3,
      results: 2,
      unanswered_calls: 1,
      calls_by_class: { ok: 1, tool_input: 1 },
      orphan_results: 1,
      left_out: { messages_of_unknown_role: 1 },
      broken_places: 2,
    });
    expect(accounting.broken_lines.map(({ file, line }) => [file, line])).toEqual([
      ["mixed.jsonl", 2],
      ["mixed.jsonl", 3],
    ]);
    expect(accounting.orphans).toMatchObject([{ file: "mixed.jsonl", line: 3 }]);
    const logged = await database.db.selectFrom("import_file").selectAll().executeTakeFirstOrThrow();
    expect(logged).toMatchObject({ source: "mixed", name: "mixed.jsonl", format: "openai-chat", accounting });
  });

  test("a survey gives the same account and stores nothing", async () => {
    const path = await file("survey.json", [book(1, "Error: full")]);
    const options = { path, format: "auto", rules: ERRORS, source: null, signingKey: KEY };
    const surveyed = await surveyFile(options);
    expect((await contents()).observations).toEqual([]);
    expect((await imports(path)).accounting).toEqual(surveyed);
  });

  test("a file that was cut off gives the runs before the cut, and says where it ends", async () => {
    const text = JSON.stringify([book(1, "1"), book(2, "2")]);
    const { accounting } = await imports(await file("cut.json", text.slice(0, -30)));
    expect(accounting).toMatchObject({ runs: 1, broken_places: 1 });
    expect(accounting.broken_lines[0]!.message).toContain("cut off");
  });

  test("what no schema says and no account holds: no content, anywhere in the database", async () => {
    const run = {
      id: "sesame run",
      messages: [
        user("sesame"),
        { ...calls(["sesame id", "book", '{"sesame":"sesame"}']), content: "sesame" },
        answers("sesame id", "Error: sesame"),
        calls(["b", "sesame_tool", '"sesame'], ["c", "sesame words", "{}"]),
        answers("b", "Unknown action sesame_tool"),
        answers("sesame orphan", "sesame"),
        { role: "sesame", content: "sesame" },
      ],
    };
    await imports(
      await file("secrets.jsonl", `${JSON.stringify(run)}\nsesame\n{"sesame":1}\n{"messages":["sesame"]}\n`),
    );
    const tables = await database.db.introspection.getTables();
    for (const { name } of tables) {
      const { rows } = await sql<object>`select * from ${sql.table(name)}`.execute(database.db);
      expect([name, JSON.stringify(rows).includes("sesame")]).toEqual([name, false]);
    }
    expect(await storedCalls()).toHaveLength(3);
  });
});

describe("refusals", () => {
  const refused = async (path: string, given: Given = {}) => {
    const error = await imports(path, given).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ImportRefusedError);
    expect((await contents()).observations).toEqual([]);
    return (error as Error).message;
  };

  test("name what the file is and what to do, and store nothing", async () => {
    expect(await refused(join(folder, "absent.json"))).toContain("no such file");
    expect(await refused(folder)).toContain("no regular file");
    expect(await refused(await file("empty.json", ""))).toContain("empty");
    expect(await refused(await file("array.json", "[]"))).toContain("no format was recognised");
    expect(await refused(await file("x.gz", Buffer.from([0x1f, 0x8b, 8])))).toContain("gunzip");
    expect(await refused(await file("spans.json", { resourceSpans: [] }))).toContain("OpenTelemetry");
    expect(await refused(await file("spans.json", { resourceSpans: [] }), { format: "openai-chat" })).toContain(
      "(otlp)",
    );
    expect(await refused(await file("other.json", { foo: 1 }))).toContain("no format was recognised");
    expect(await refused(await file("other.json", { foo: 1 }), { format: "openai-chat" })).toContain(
      "no run was found. Line 1",
    );
    expect(await refused(await file("other.json", { foo: 1 }), { format: "chat" })).toContain("openai-chat");
    expect(await refused(await file("cut.json", '{"messages":[{"role":"user","content":"x'))).toContain("cut off");
  });

  test("a source is a plain name, and not that of spans", async () => {
    const path = await file("named.json", [book(1, "1")]);
    await expect(imports(path, { source: "a b/c" })).rejects.toThrow(/--source is "a b\/c".*tau-gpt-4o/);
    await expect(imports(path, { source: "otlp" })).rejects.toThrow(/names spans/);
  });
});
