import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { apiApp } from "../../analytics/api/app.ts";
import type { FunnelAnswer } from "../../analytics/questions/answer.ts";
import { databaseQuestions } from "../../analytics/questions/questions.ts";
import { funnelText } from "../../cli/funnel.ts";
import { asFlags } from "../../cli/scope-options.ts";
import { tableLines } from "../../cli/table-lines.ts";
import { bar, escaped, terminalOf } from "../../cli/terminal.ts";
import { type Connection, connect } from "../../database/connect.ts";
import { fillCliSample } from "../support/cli-sample.ts";
import { callRow, clock, countRow, episodeRow, fill, insertCalls, PROJECT, runRow } from "../support/rows.ts";
import { mulligan } from "../support/terminal.ts";

let folder: string;
let dataDir: string;
let connection: Connection;
let server: ReturnType<typeof serve>;

/** A live server holds the data folder, as beside `mulligan serve`; without it every command opens the database itself. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mulligan-cli-"));
  dataDir = join(folder, "data");
  connection = await connect({ dataDir, cacheDir: inject("dumpDir") });
  await fillCliSample(connection.db);
  const app = apiApp({ db: connection.db, clock, projectId: PROJECT });
  server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await connection.announce(`http://127.0.0.1:${typeof address === "object" ? address?.port : address}`);
});
afterAll(async () => {
  await connection.close();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const asked = (...args: string[]) => mulligan([...args, "--data-dir", dataDir]);

describe("the terminal", () => {
  test.each([
    ["n of N with interval", /2 of 92 \(2\.2 %, 95 % CI 0\.6–7\.6\)/],
    ["a bar a row", /repaired next turn +1 +█+▌? +1 of 2 \(50\.0 %\), \+1 turn\n/],
    ["how it went unresolved", /unresolved, escalated +1 +█+▌? +1 of 2 \(50\.0 %\)\n/],
    ["the open funnel", /1 pending: the open funnel so far\n {2}settles when .*\n +not decided yet +1/],
    ["what is pending", /repaired next turn +1 of 2 \(50\.0 %, 95 % CI 9\.5–90\.5\), 1 pending/],
    ["terminal outcomes", /runs ended +escalated 2 of 2 \(100\.0 %\)/],
    ["tokens", /6,500 input tokens · 350 output tokens/],
    ["time", /time 1\.14 s/],
    ["handovers", /handed to a person +1 episode /],
    ["rows per risk class", /risk write_irreversible +rejected 2 of 2/],
    ["the worst tool", /worst: most rejected +search · 2 of 2/],
  ])("draws the funnel with %s", async (_, part) => {
    const { code, stdout, stderr } = await asked("funnel");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(part);
  });

  test.each([["funnel", "--group-by", "tool"], ["tools"], ["fingerprints"], ["summary"]])(
    "%s shows how the runs ended right after every repair rate",
    async (...args) => {
      const lines = (await asked(...args)).stdout.split("\n");
      const rates = lines.flatMap((line, index) => (/^ {2}repaired within 2 /.test(line) ? [index] : []));
      expect(rates.length).toBeGreaterThan(0);
      for (const index of rates) expect(lines.slice(index, index + 4).join("\n")).toMatch(/^ {2}runs ended /m);
    },
  );

  test("prints with --json exactly what the question answers, and nothing else", async () => {
    const questions = databaseQuestions({ db: connection.db, clock, projectId: PROJECT });
    const funnel = await asked("funnel", "--json", "--risk", "write_irreversible", "--group-by", "day");
    expect(JSON.parse(funnel.stdout)).toEqual(
      await questions.funnel({ last: "all", risk: ["write_irreversible"], group_by: ["day"] }),
    );
    expect(JSON.parse((await asked("run", "3/0", "--json")).stdout)).toEqual(await questions.run("3/0"));
    expect(JSON.parse((await asked("summary", "--json")).stdout)).toEqual(await questions.summary({ last: "all" }));
    const episodes = await asked(
      "episodes",
      "--json",
      "--state",
      "settled",
      "--next-action",
      "gave_up",
      "--limit",
      "5",
    );
    expect(JSON.parse(episodes.stdout)).toEqual(
      await questions.episodes({ last: "all", state: "settled", next_action: ["gave_up"], limit: "5" }),
    );
    const runs = await asked("runs", "--json", "--outcome", "escalated");
    expect(JSON.parse(runs.stdout)).toEqual(await questions.runs({ last: "all", outcome: ["escalated"], limit: "20" }));
  });

  test("lists episodes with what became of each and the run to look at, page by page", async () => {
    const { stdout } = await asked("episodes");
    expect(stdout).toMatch(/^3 repair episodes, newest first\n/);
    expect(stdout).toMatch(/\nopened +tool +failure +what became of it +run\n/);
    expect(stdout).toMatch(
      /2026-03-10 11:00 UTC {2}search +invalid:start:date_f\S+ +repaired next turn \+1\S* +3\/0\n/,
    );
    expect(stdout).toMatch(/ find +schema +not decided yet +a\n/);
    const first = (await asked("episodes", "--limit", "2")).stdout;
    const next = /More: --before (\S+)\n/.exec(first)![1]!;
    const second = (await asked("episodes", "--limit", "2", "--before", next)).stdout;
    expect(second.match(/2026-03-10 11:00 UTC/g)).toHaveLength(1);
    expect(second).not.toContain("More:");
  });

  test("lists runs with how they ended and what was rejected", async () => {
    const { stdout } = await asked("runs");
    expect(stdout).toMatch(/^2 runs, newest first\n/);
    expect(stdout).toMatch(/ not known +escalated +3 +2 +2 +0 +3\/0\n/);
    expect((await asked("runs", "--outcome", "blocked")).stdout).toMatch(/^0 runs, newest first\n/);
  });

  test("cuts the widest column of a list to the terminal's width, and never the run's id", () => {
    const terminal = terminalOf({ write: () => true, isTTY: true, columns: 72 }, { colour: false });
    const id = "r".repeat(30);
    const lines = tableLines(["tool", "failure", "run"], [["t".repeat(12), "f".repeat(200), id]], terminal);
    expect(lines[1]).toBe(`${"t".repeat(12)}  ${"f".repeat(25)}…  ${id}`);
    expect(lines[1]).toHaveLength(72);
  });

  test("shows a run turn by turn, with what repaired what", async () => {
    const { stdout } = await asked("run", "3/0");
    expect(stdout).toMatch(/^Run 3\/0 \(tau\/3\/0\)/);
    expect(stdout).toMatch(/ 0 {2}✗ 0\.0 search {2}invalid:start:date_format {2}↷ repaired by 1\.0/);
    expect(stdout).toMatch(/ 1 {2}✓ 1\.0 search {2}attempt 1 for 0\.0 \(by digest\)/);
    expect(stdout).toMatch(/ 2 {2}text only/);
  });

  test("says of an unknown run where ids stand and who was asked, and ends with 1", async () => {
    const { code, stdout, stderr } = await asked("run", "nobody");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/no run has the id or run key "nobody" in the server at http:\/\/127.*mulligan runs/);
  });

  test("says a wrong question in the words of its flags, and ends with 2", async () => {
    const { code, stderr, stdout } = await asked("funnel", "--group-by", "tols");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(
      /^mulligan funnel: --group-by is "tols".*Did you mean --group-by tool\?\nTry: mulligan funnel --help\n$/,
    );
    expect((await asked("episodes", "--next-action", "gave_in")).stderr).toMatch(
      /Did you mean --next-action gave_up\?/,
    );
    expect((await asked("runs", "--before", "x")).stderr).toMatch(/^mulligan runs: --before is "x"/);
    expect(await asked("tools", "--limit", "0")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--limit is "0"'),
    });
    expect(asFlags("schema_version is wrong. Example: schema_version=v1")).toBe(
      "--schema-version is wrong. Example: --schema-version v1",
    );
  });
});

describe("the drawing", () => {
  const answer = async (): Promise<FunnelAnswer> =>
    JSON.parse((await asked("funnel", "--json", "--group-by", "tool")).stdout);

  test("has no colour in a pipe or with NO_COLOR, and colours on a terminal", async () => {
    const drawn = await answer();
    const start = "\u001b[";
    const onTerminal = { write: () => true, isTTY: true, columns: 80 };
    expect(funnelText(drawn, terminalOf({ write: () => true }, { colour: true }))).not.toContain(start);
    expect(funnelText(drawn, terminalOf(onTerminal, { colour: false }))).not.toContain(start);
    expect(funnelText(drawn, terminalOf(onTerminal, { colour: true }))).toContain(start);
  });

  test.each([72, 80, 120])("fits %d columns", async (columns) => {
    const text = funnelText(await answer(), terminalOf({ write: () => true, isTTY: true, columns }, { colour: false }));
    for (const line of text.split("\n")) expect(line.length, line).toBeLessThanOrEqual(columns);
  });

  test("a bar is as long as its share, and a part that is not 0 is never invisible", () => {
    expect(bar(1, 2, 10)).toBe("█████");
    expect(bar(2, 2, 10)).toBe("██████████");
    expect(bar(1, 100_000, 10)).toBe("▏");
    expect(bar(0, 10, 10)).toBe("");
    expect(bar(0, 0, 10)).toBe("");
  });
});

describe("what a model, a tool or an emitter named", () => {
  const HOSTILE = "\u001b]0;pwned\u0007\u009b2J\r\u202egnp.\u2028x";
  /** What a terminal acts on, and what hides or reorders; a line's own end is ours. */
  const ACTIVE = /[\p{Cf}\p{Zl}\p{Zp}]|(?!\n)\p{Cc}/u;

  beforeAll(async () => {
    const named = { tool: HOSTILE, fingerprint: `invalid:${HOSTILE}:type`, model: HOSTILE, agent_name: HOSTILE };
    await fill(connection.db, {
      runs: ["1", "2"].map((number) => runRow({ run_id: HOSTILE + number, run_key: HOSTILE, model: HOSTILE })),
      counts: [countRow({ run_id: `${HOSTILE}1`, ...named, failure_class: "schema", first_rejected: 2 })],
      episodes: [episodeRow({ run_id: `${HOSTILE}1`, ...named })],
    });
    await insertCalls(connection.db, [
      callRow({ run_id: `${HOSTILE}1`, turn: 0, tool: HOSTILE, verdict: "rejected", failure_class: "schema" }),
    ]);
  });
  afterAll(() => fillCliSample(connection.db));

  test.each([
    ["funnel", "--group-by", "tool,model"],
    ["funnel", "--tool", HOSTILE],
    ["tools"],
    ["fingerprints"],
    ["summary"],
    ["episodes"],
    ["episodes", "--tool", HOSTILE],
    ["runs"],
    ["run", `${HOSTILE}1`],
    ["run", HOSTILE],
    ["run", `${HOSTILE}3`],
  ])("reaches the terminal escaped: %s %s", async (...args) => {
    for (const json of [[], ["--json"]]) {
      const { stdout, stderr } = await asked(...args, ...json);
      expect(stdout + stderr).toContain("\\u202e");
      expect(stdout + stderr).not.toMatch(ACTIVE);
    }
  });

  test("is with --json the same name to whoever parses it", async () => {
    const { stdout } = await asked("fingerprints", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ fingerprints: [{ key: { tool: HOSTILE } }] });
  });

  test("keeps every letter of every script", () => {
    const name = "büro_検索 Ω 🔧";
    expect(escaped(name)).toBe(name);
    expect(escaped("a\u{e0041}b")).toBe("a\\udb40\\udc41b");
  });
});

describe("without a database to be opened", () => {
  test("a question creates nothing, says what to do, and ends with 1", async () => {
    const nowhere = join(folder, "nowhere");
    const { code, stderr } = await mulligan(["funnel", "--data-dir", nowhere]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/There is no database in .*nowhere yet\. Import a transcript.*mulligan serve/);
    await expect(rm(nowhere)).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("a server that cannot be reached is explained, exit code 1", async () => {
    const answer = await mulligan(["funnel"], { env: { DATABASE_URL: "postgres://nobody@127.0.0.1:1/nothing" } });
    expect(answer).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("no server listens there") });
  });
});

describe("when the server is gone", () => {
  test("the folder itself gives the same answer, and what was left unlinked is linked first", async () => {
    const live = await asked("funnel", "--json", "--group-by", "tool");
    await connection.db
      .insertInto("dirty_run")
      .values({ project_id: PROJECT, run_id: "gone", marked_at: clock() })
      .execute();
    expect(JSON.parse((await asked("funnel", "--json")).stdout)).toMatchObject({ runs_waiting: 1 });
    await connection.close();
    expect(await asked("funnel", "--json", "--group-by", "tool")).toEqual(live);
  });
});
