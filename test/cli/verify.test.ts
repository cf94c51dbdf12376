/** `mulligan verify` as a person meets it: on a data folder of its own. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { COMMANDS } from "../../cli/commands.ts";
import { invoke } from "../../cli/invoke.ts";
import { readConfig } from "../../config.ts";
import { type Connection, connect } from "../../database/connect.ts";
import { migrate } from "../../database/migrate.ts";
import type { Verification } from "../../verification/verify.ts";
import { startServe } from "../support/serve-process.ts";
import { ARRIVAL, clockAt, importRuns, MINUTE, store, variedRuns, work } from "../verification/filled.ts";

let folder: string;
let dataDir: string;

async function change(what: (connection: Connection) => Promise<unknown>): Promise<void> {
  const connection = await connect({ dataDir, cacheDir: inject("dumpDir") });
  try {
    await what(connection);
  } finally {
    await connection.close();
  }
}

async function mulligan(
  args: readonly string[],
  { tty = false, clock = clockAt(ARRIVAL), signal = new AbortController().signal } = {},
) {
  let out = "";
  let err = "";
  const code = await invoke({
    args: ["verify", ...args],
    commands: COMMANDS,
    config: readConfig({ MULLIGAN_DATA_DIR: dataDir, NO_COLOR: "1" }),
    clock,
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text), isTTY: tty, columns: 100 },
    signal,
  });
  return { code, out, err };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mulligan-cli-verify-"));
  dataDir = join(folder, "data");
  await change(async ({ db }) => {
    await migrate(db);
    await store(db, variedRuns());
    await importRuns(db, folder, ARRIVAL - 30 * MINUTE);
    await work(db);
  });
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("without a difference", () => {
  test("says so, lists what was compared, and exits with 0", async () => {
    const { code, out, err } = await mulligan([]);
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out).toContain("Verified everything");
    expect(out).toContain("No difference.");
    for (const table of ["run", "call", "episode", "call_day", "episode_hour"]) {
      expect(out).toMatch(new RegExp(`^  ${table} +[1-9][0-9,]* compared$`, "m"));
    }
  });

  test("--json is the whole answer and nothing else", async () => {
    const { code, out } = await mulligan(["--json", "--from", "2026-01-15", "--to", "2026-01-16T00:00:30Z"]);
    expect(code).toBe(0);
    const answer = JSON.parse(out) as Verification;
    expect(answer).toMatchObject({
      ...{ from: "2026-01-15T00:00:00.000Z", to: "2026-01-16T00:01:00.000Z", as_of: new Date(ARRIVAL).toISOString() },
      ...{ runs_waiting: 0, runs_set_aside: 0, episodes_to_roll: 0, differences: { total: 0, listed: [] } },
    });
    expect(answer.runs).toBeGreaterThan(5);
    expect(answer.tables.find(({ table }) => table === "call_day")!.rows).toBeGreaterThan(0);
  });

  test("says on standard error where it stands, rewriting one line of a terminal", async () => {
    let time = ARRIVAL;
    const clock = () => {
      time += 6_000;
      return new Date(time);
    };
    const piped = await mulligan([], { clock });
    expect(piped.err).toMatch(/^2026-01-15, day 1 of 3: \d+ runs, no difference so far$/m);
    const onTerminal = await mulligan([], { clock, tty: true });
    const lines = onTerminal.err.split("\r\u001b[K");
    expect(lines.at(0)).toBe("");
    expect(lines.at(1)).toMatch(/^2026-01-15, day 1 of 3: \d+ runs, no difference so far$/);
    expect(lines.at(-1)).toBe("");
  });

  test("--last counts back from now", async () => {
    const { out } = await mulligan(["--last", "1h", "--json"]);
    expect(JSON.parse(out)).toMatchObject({ from: new Date(ARRIVAL - 3_600_000).toISOString(), runs: 2 });
  });
});

describe("with differences", () => {
  beforeAll(() =>
    change(async ({ db }) => {
      await db.updateTable("run").set({ model: "\u001b[31mred" }).where("run_id", "=", "valid").execute();
      await sql`update call_hour set calls = calls + 1`.execute(db);
    }),
  );

  test("names table, key, column and both values, at most 20 of them, and exits with 1", async () => {
    const { code, out } = await mulligan([]);
    expect(code).toBe(1);
    expect(out).toContain("  run  run_id=valid\n      model: stored \\u001b[31mred, recomputed m\n");
    expect(out).not.toContain("\u001b[31m");
    expect(out).toMatch(
      /call_hour {2}bucket=2026-01-15T\d\d:00:00\.000Z cohort_id=[0-9a-f-]{36}\n {6}calls: stored \d+, recomputed \d+\n/,
    );
    const shown = out.match(/: stored /g)!.length;
    const total = Number(/^(\d+) differences:$/m.exec(out)![1]);
    expect(shown).toBe(Math.min(total, 20));
    if (total > 20) expect(out).toContain(`  and ${total - 20} more: --json lists up to 1,000`);
  });

  test("--json lists every one of them, exit code 1", async () => {
    const { code, out } = await mulligan(["--json"]);
    expect(code).toBe(1);
    const { differences } = JSON.parse(out) as Verification;
    expect(differences.listed).toHaveLength(differences.total);
    expect(differences.listed[0]).toEqual({
      ...{ table: "run", found: "value", key: { run_id: "valid" } },
      ...{ column: "model", stored: "\u001b[31mred", recomputed: "m" },
    });
  });
});

describe("called wrongly or where it cannot be done", () => {
  test.each([
    [["--last", "soon"], '--last is "soon"'],
    [["--from", "2026-02-30"], "no day of the calendar"],
    [["--from", "2026-01-02", "--to", "2026-01-01"], "which is not after from"],
    [["--last", "1d", "--to", "2026-01-01"], "cannot be joined"],
    [["everything"], "takes options only"],
  ])("%j is explained, exit code 2", async (args, words) => {
    const { code, out, err } = await mulligan(args);
    expect(code).toBe(2);
    expect(err).toContain(words);
    expect(err).toContain("Try: mulligan verify --help");
    expect(out).toBe("");
  });

  test("a folder without a database is no verified one, and none is made", async () => {
    const absent = join(folder, "absent");
    const { code, err } = await mulligan(["--data-dir", absent]);
    expect(code).toBe(1);
    expect(err).toContain(`There is no database in ${absent}`);
  });

  test("a process that holds the folder is named: stop it, then run again", async () => {
    const service = await startServe({ MULLIGAN_DATA_DIR: join(folder, "served") });
    try {
      const { code, err } = await mulligan(["--data-dir", join(folder, "served")]);
      expect(code).toBe(1);
      expect(err).toContain(`process ${service.process.pid}`);
      expect(err).toContain(service.url);
      expect(err).toContain("Stop that process, then run this again.");
    } finally {
      await service.stop("SIGTERM");
    }
  });

  test("stopped, says that nothing was written", async () => {
    const { code, err } = await mulligan([], { signal: AbortSignal.abort() });
    expect(code).toBe(1);
    expect(err).toContain("Stopped before the end. Nothing was written.");
  });

  test("the help has examples", async () => {
    const { code, out } = await mulligan(["--help"]);
    expect(code).toBe(0);
    expect(out).toContain("mulligan verify --last 14d");
  });
});
