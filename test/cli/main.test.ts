/** The command line as a person meets it: `main.ts` in a process of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMMANDS } from "../../cli/commands.ts";
import { startServe } from "../support/serve-process.ts";
import { runRequest, send } from "../support/spans.ts";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mulligan-cli-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function mulligan(
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(process.execPath, ["--conditions=@mulligan/source", MAIN, ...args], {
    env: {
      PATH: process.env.PATH ?? "",
      HOME: process.env.HOME ?? "",
      MULLIGAN_DATA_DIR: join(folder, "data"),
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  const [code] = await once(child, "close");
  return { code: Number(code), out, err };
}

test("help lists every command and exits with 0; a wrong one suggests the nearest and exits with 2", async () => {
  const help = await mulligan(["--help"]);
  expect(help.code).toBe(0);
  for (const { name } of COMMANDS) expect(help.out).toContain(`  ${name} `);
  const wrong = await mulligan(["funel"]);
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain("Did you mean funnel?");
});

test("every command's help has examples", () => {
  for (const { name, examples } of COMMANDS) {
    expect(examples.length, name).toBeGreaterThan(0);
    for (const { command } of examples) expect(command).toContain(`mulligan ${name}`);
  }
});

test("a variable that cannot be used is explained, exit code 2", async () => {
  const { code, err } = await mulligan(["funnel"], { MULLIGAN_PORT: "many" });
  expect(code).toBe(2);
  expect(err).toContain('MULLIGAN_PORT is "many", expected a whole number');
});

test("while serve holds the folder, questions are answered through it and a second serve is told who holds it; SIGTERM stops it with 0", async () => {
  const dataDir = join(folder, "served");
  const service = await startServe({ MULLIGAN_DATA_DIR: dataDir });
  expect(await send(service.url, runRequest("run-1", 2, Date.now() - 60_000).body)).toBe(true);
  let answer: { runs_waiting: number; overall: { calls: { total: number } } };
  do answer = JSON.parse((await mulligan(["funnel", "--json"], { MULLIGAN_DATA_DIR: dataDir })).out);
  while (answer.runs_waiting > 0);
  expect(answer.overall.calls.total).toBe(2);

  const second = await mulligan(["serve", "--port", "0"], { MULLIGAN_DATA_DIR: dataDir });
  expect(second.code).toBe(1);
  expect(second.err).toContain(`process ${service.process.pid}`);
  expect(second.err).toContain(service.url);

  expect(await service.stop("SIGTERM")).toBe(0);
  const after = await mulligan(["funnel", "--json", "--data-dir", dataDir]);
  expect(after.code).toBe(0);
  expect(JSON.parse(after.out).overall.calls.total).toBe(2);
});

test("migrate --check creates nothing; migrate says what it did, and that nothing is left to do", async () => {
  const absent = await mulligan(["migrate", "--check"]);
  expect(absent.code).toBe(1);
  expect(absent.out).toContain("There is no database in");
  expect(existsSync(join(folder, "data"))).toBe(false);
  const first = await mulligan(["migrate"]);
  expect(first.code).toBe(0);
  expect(first.out).toContain("Made a database in");
  const again = await mulligan(["migrate", "--check"]);
  expect(again).toMatchObject({ code: 0, out: "The database is up to date.\n" });
});

test("settings of which one excludes the other are refused with both named", async () => {
  const { code, err } = await mulligan(["serve", "--port", "0"], {
    MULLIGAN_LINK_WINDOW: "2",
    MULLIGAN_EVENTUAL_WINDOW: "3",
  });
  expect(code).toBe(2);
  expect(err).toMatch(/MULLIGAN_EVENTUAL_WINDOW is 3 and MULLIGAN_LINK_WINDOW is 2/);
});

test("SIGTERM to npm run ends the service too: the port and the data folder are free afterwards", async () => {
  const dataDir = join(folder, "under-npm");
  const npm = spawn("npm", ["run", "-s", "mulligan", "--", "serve", "--port", "0", "--json"], {
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
    env: { ...process.env, MULLIGAN_DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(npm.stdout, "data");
  const { url } = JSON.parse(String(line)) as { url: string };
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  npm.kill("SIGTERM");
  await once(npm, "exit");
  while (
    await fetch(`${url}/healthz`).then(
      () => true,
      () => false,
    )
  )
    await new Promise((resolve) => setTimeout(resolve, 50));
  while (existsSync(`${dataDir}.lock`)) await new Promise((resolve) => setTimeout(resolve, 50));
});
