import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const workspace = fileURLToPath(new URL("../../instrumentation", import.meta.url));
let folder: string;

/** The program blocks of the README, in order. */
async function readmePrograms(): Promise<string[]> {
  const text = await readFile(join(workspace, "README.md"), "utf8");
  return [...text.matchAll(/```js\n([\s\S]*?)```/g)].map(([, program]) => program ?? "");
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mulligan-package-"));
  await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: workspace });
  const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  await run("npm", ["install", ...flags, `./${tarball}`, "@opentelemetry/api@1.10.0"], { cwd: folder });
}, 240_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function runProgram(program: string, ...flags: string[]) {
  await writeFile(join(folder, "agent.mjs"), program);
  const environment = { PATH: process.env.PATH, MULLIGAN_SIGNING_KEY: "a-key-of-the-tests-long-enough" };
  return run(process.execPath, [...flags, "agent.mjs"], { cwd: folder, env: environment });
}

test("it installs alone: eight packages", async () => {
  const { stdout } = await run("npm", ["ls", "--omit=dev", "--all", "--parseable"], { cwd: folder });
  const names = stdout
    .trim()
    .split("\n")
    .slice(1)
    .map((path) => path.split("node_modules/").at(-1));
  expect(names.sort()).toEqual([
    "@mulligan/instrumentation",
    "@opentelemetry/api",
    "ajv",
    "ajv-formats",
    "fast-deep-equal",
    "fast-uri",
    "json-schema-traverse",
    "require-from-string",
  ]);
});

test("the packed files are the build, the README and the licence: no sources, no door to the inside", async () => {
  const files = await readdir(join(folder, "node_modules/@mulligan/instrumentation"));
  expect(files.sort()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
  await expect(runProgram('import "@mulligan/instrumentation/internal/signature";')).rejects.toThrow(
    /ERR_PACKAGE_PATH_NOT_EXPORTED/,
  );
});

test("the README's five lines run", async () => {
  const [fiveLines = ""] = await readmePrograms();
  expect(fiveLines.split("\n").filter((line) => line.trim() !== "")).toHaveLength(5);
  expect(await runProgram(fiveLines)).toEqual({ stdout: "booked 2026-01-15\n", stderr: "" });
});

test("the README's programs that need no SDK run", async () => {
  const programs = (await readmePrograms()).filter(
    (program) => !program.includes("sdk-node") && !program.includes("/register"),
  );
  expect(programs).toHaveLength(3);
  for (const program of programs) expect((await runProgram(program)).stderr).toBe("");
  expect((await runProgram(programs[2] ?? "")).stdout).toMatch(
    /^Argument "start" is invalid: expected a date text, for example "2026-01-15", received "January"/,
  );
});

test("register without the optional packages says what to install, and the agent runs", async () => {
  const flags = ["--import", "@mulligan/instrumentation/register"];
  const { stdout, stderr } = await runProgram('console.log("ran")', ...flags);
  expect(stdout).toBe("ran\n");
  expect(stderr).toContain("npm install @opentelemetry/sdk-node @opentelemetry/exporter-trace-otlp-http");
});

test("a CommonJS program can require it", async () => {
  await writeFile(
    join(folder, "agent.cjs"),
    'const { instrumentExecutor } = require("@mulligan/instrumentation"); console.log(instrumentExecutor((call) => call.name)({ name: "a", arguments: "{}" }));',
  );
  const { stdout } = await run(process.execPath, ["agent.cjs"], { cwd: folder });
  expect(stdout).toBe("a\n");
});

test("publint finds nothing in the workspace", async () => {
  // Not in the packed files: there the workspace's own door has no sources behind it, which is what it is for.
  const { stdout } = await run("npm", ["exec", "--", "publint", "--strict", "--pack", "false", workspace], {
    cwd: join(workspace, ".."),
  });
  expect(stdout).toContain("All good!");
});
