import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CommandError, type Output, UsageError } from "../../cli/command.ts";
import { importCommand } from "../../cli/import.ts";
import { readConfig } from "../../config.ts";
import { answers, calls, says, user } from "../collector/transcripts/reading.ts";
import { openTestDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await openTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "mulligan-cli-import-"));
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  for (const table of ["observation", "run", "turn", "call", "episode", "attempt", "run_count", "import_file"]) {
    await sql`delete from ${sql.table(table)}`.execute(database.db);
  }
});

interface Called {
  readonly [option: string]: string | boolean;
}

/** Runs the command as the terminal would. `times` are what its clock shows, the last one from then on. */
async function run(positionals: string[], options: Called = {}, terminal: { tty?: boolean; times?: number[] } = {}) {
  const written = { stdout: "", stderr: "" };
  const output = (name: "stdout" | "stderr"): Output => ({
    write: (text) => {
      written[name] += text;
    },
    isTTY: terminal.tty ?? false,
    columns: 100,
  });
  const times = [...(terminal.times ?? [Date.parse("2026-01-15T12:00:00Z")])];
  const exitCode = await importCommand.run({
    values: { json: false, help: false, strict: false, ...options } as never,
    positionals,
    stdout: output("stdout"),
    stderr: output("stderr"),
    config: { ...readConfig({}), dataDir: join(folder, "data") },
    clock: () => new Date(times.length > 1 ? times.shift()! : times[0]!),
    signal: new AbortController().signal,
    open: () => Promise.reject(new Error("import asks no questions")),
    openDatabase: async () => ({ ...database, announce: async () => {}, close: async () => {} }),
  });
  return { exitCode, ...written };
}

/** Beside the embedded database; a server's has a folder of its own for the key. */
const keyPath = () => join(folder, database.kind === "server" ? "data-keys" : "data", "signing.key");

async function file(name: string, content: string | object): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const chat = (id: string, ...results: readonly string[]) => ({
  id,
  messages: [
    user("hi"),
    ...results.flatMap((result, at) => [calls([`c${at}`, "book", `{"n":${at}}`]), answers(`c${at}`, result)]),
  ],
});
const stray = { id: "stray", messages: [says("hi"), answers("zz", "late")] };
const count = async (table: string) => {
  const { rows } = await sql<{ n: string }>`select count(*) as n from ${sql.table(table)}`.execute(database.db);
  return Number(rows[0]!.n);
};

describe("mulligan import", () => {
  test("imports, links, and says in words what it read", async () => {
    const rules = await file("rules.yaml", "- text: '^Error'\n  class: tool_input\n");
    const { exitCode, stdout, stderr } = await run([await file("a.json", [chat("1", "Error: full", "1")])], { rules });
    expect(exitCode).toBe(0);
    expect(stdout).toContain("a.json: 1 run, 2 model turns (0 text only), 2 tool calls, 2 results");
    expect(stdout).toContain("source a, format openai-chat, rules rules.yaml");
    expect(stdout).toContain("failed calls: 1 tool_input");
    expect(stderr).toContain("signing.key");
    const episodes = await database.db.selectFrom("episode").select(["kind", "first_repair"]).execute();
    expect(episodes).toEqual([{ kind: "repair", first_repair: true }]);
  });

  test("makes the signing key once, for its owner only, and names it once", async () => {
    const path = await file("key.json", [chat("1", "1")]);
    await run([path]);
    const key = await readFile(keyPath(), "utf8");
    expect(key.trim().length).toBeGreaterThanOrEqual(40);
    expect((await stat(keyPath())).mode & 0o777).toBe(0o600);
    const again = await run([path]);
    expect(again.stderr).toBe("");
    expect(await readFile(keyPath(), "utf8")).toBe(key);
  });

  test("says how to state what an error looks like where no result was one", async () => {
    const { stdout } = await run([await file("a.json", [chat("1", "Error: full")])]);
    expect(stdout).toContain("no result was recognised as an error");
    expect(stdout).toContain("--rules FILE");
  });

  test("a second import says that nothing was added", async () => {
    const path = await file("a.json", [chat("1", "1")]);
    await run([path]);
    const stored = await count("observation");
    const { exitCode, stdout } = await run([path]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("imported before, at 2026-01-15 12:00 UTC");
    expect(await count("observation")).toBe(stored);
  });

  test("a folder stands for the transcripts in it; a refused file is named, the others are imported, exit code 1", async () => {
    await file("many/one.json", [chat("1", "1")]);
    await file("many/deep/two.jsonl", JSON.stringify(chat("2", "2")));
    await file("many/notes.txt", "not looked at");
    await file("many/spans.json", { resourceSpans: [] });
    const { exitCode, stdout, stderr } = await run([join(folder, "many")]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("one.json: 1 run,");
    expect(stdout).toContain("two.jsonl: 1 run,");
    expect(stderr).toContain("OpenTelemetry spans");
    expect(await count("run")).toBe(2);
  });

  test("--json prints the accounts, and nothing else on standard output", async () => {
    const { stdout } = await run([await file("a.json", [chat("1", "1")]), await file("x.json", { foo: 1 })], {
      json: true,
    });
    expect(JSON.parse(stdout)).toMatchObject({
      imported: [{ file: "a.json", runs: 1, calls: 1, orphan_results: 0, broken_lines: [], imported_before: null }],
      refused: [{ message: expect.stringContaining("no format was recognised") }],
    });
  });

  test("--strict imports nothing of any file where one has an orphan or a broken place", async () => {
    const good = await file("good.json", [chat("1", "1")]);
    for (const bad of [
      await file("stray.json", [stray]),
      await file("broken.jsonl", `${JSON.stringify(chat("2"))}\n{`),
    ]) {
      const { exitCode, stdout, stderr } = await run([good, bad], { strict: true });
      expect([exitCode, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/results without a call|could not be read/);
      expect(stderr).toContain("nothing was imported");
      expect(await count("observation")).toBe(0);
    }
    expect((await run([good], { strict: true })).exitCode).toBe(0);
    expect(await count("run")).toBe(1);
    expect((await run([await file("stray.json", [stray])])).stdout).toContain(
      "results without a call, counted nowhere: 1",
    );
  });

  test("progress rewrites one line on a terminal, and is a line every few seconds elsewhere", async () => {
    const filler = user("x".repeat(200_000));
    const long = Array.from({ length: 8 }, (_, n) => JSON.stringify({ id: `r${n}`, messages: [filler, says("hi")] }));
    const path = await file("long.jsonl", long.join("\n"));
    const every = (step: number) =>
      Array.from({ length: 100 }, (_, n) => Date.parse("2026-01-15T12:00:00Z") + n * step);
    const log = await run([path], { source: "log" }, { times: every(6000) });
    expect(log.stderr).toMatch(/long\.jsonl: [\d.]+ of [\d.]+ MB, \d+ runs?, \d+ tool calls\n/);
    const terminal = await run([path], { source: "tty" }, { tty: true, times: every(200) });
    const rewritten = terminal.stderr.split("\r\u001b[K");
    expect(rewritten.length).toBeGreaterThan(3);
    expect([rewritten.at(0), rewritten.at(-1)]).toEqual(["", ""]);
    expect(rewritten[1]).toMatch(/^long\.jsonl: [\d.]+ of [\d.]+ MB, \d+ runs?, \d+ tool calls$/);
    const quick = await run([path], { source: "quick" }, { tty: true });
    expect(quick.stderr).toBe("");
  });

  test("wrong calls say what to write", async () => {
    const path = await file("a.json", [chat("1", "1")]);
    await expect(run([])).rejects.toThrow(UsageError);
    await expect(run([path], { format: "chat" })).rejects.toThrow(/--format is "chat".*openai-chat/);
    await expect(run([path], { source: "a/b" })).rejects.toThrow(UsageError);
    await expect(run([path], { rules: join(folder, "absent.yaml") })).rejects.toThrow(
      /absent\.yaml cannot be read \(ENOENT\)/,
    );
    const rules = await file("bad.yaml", "- text: '^Error'\n  class: wrong\n");
    await expect(run([path], { rules })).rejects.toThrow(CommandError);
    await expect(run([path], { rules })).rejects.toThrow(/bad\.yaml, rule 1, field `class`: is "wrong"/);
    await mkdir(join(folder, "void"), { recursive: true });
    await expect(run([join(folder, "void")])).rejects.toThrow(/holds no \.json/);
    expect(await count("observation")).toBe(0);
  });
});

const shared = process.env.MULLIGAN_SHARED ?? join(import.meta.dirname, "../../../shared");
const tau = join(shared, "data/tau-bench/gpt-4o-airline.json");
const absent = !existsSync(tau);
if (absent) process.stderr.write(`skipped: the τ-bench file is not at ${tau}; MULLIGAN_SHARED names its folder\n`);

describe.skipIf(absent)("200 real runs of τ-bench", () => {
  test("give the repair episodes of an independent implementation, each of them", async () => {
    const expected = JSON.parse(await readFile(join(shared, "data/expected/tau-bench.json"), "utf8"));
    const rules = join(import.meta.dirname, "../../examples/rules/tau-bench.yaml");
    expect((await run([tau], { rules, format: "openai-chat" })).exitCode).toBe(0);
    const { db } = database;
    const episodes = await db
      .selectFrom("episode")
      .innerJoin("run", "run.run_id", "episode.run_id")
      .innerJoin("cohort", "cohort.cohort_id", "episode.cohort_id")
      .selectAll("episode")
      .select(["run.run_key", "cohort.tool", "cohort.failure_class"])
      .where("kind", "=", "repair")
      .execute();
    expect(episodes).toHaveLength(expected.episodes.repair.opened);
    for (const listed of expected.listing.repair) {
      const ours = episodes.find(
        ({ run_key, turn, ordinal }) =>
          run_key === listed.run && turn === listed.opening[0] && ordinal === listed.opening[1],
      );
      expect(ours).toMatchObject({
        tool: listed.tool,
        failure_class: listed.class,
        attempts: listed.attempts.length,
        next_action: listed.next_action,
        unchanged_repeat: listed.unchanged_repeat,
        targeted_change: listed.targeted_change,
        extra_model_turns: listed.extra_model_turns,
      });
    }
    const stored = await count("observation");
    expect((await run([tau], { rules, format: "openai-chat" })).stdout).toContain("nothing was added");
    expect(await count("observation")).toBe(stored);
    expect(await count("call")).toBe(expected.tool_calls);
    expect(await count("turn")).toBe(expected.model_turns);
  });
});
