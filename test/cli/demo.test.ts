/** `mulligan demo` as a person meets it: one port, an account, live runs, Ctrl-C. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FunnelAnswer } from "../../analytics/questions/answer.ts";
import { COMMANDS } from "../../cli/commands.ts";
import { invoke } from "../../cli/invoke.ts";
import { readConfig } from "../../config.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mulligan-demo-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Running {
  readonly printed: { stdout: string; stderr: string };
  /** Resolves when standard output holds the text; fails when the command ends before. */
  says(text: string): Promise<void>;
  /** Ctrl-C; resolves to the exit code. */
  stop(): Promise<number>;
  readonly ended: Promise<number>;
}

function demo(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const printed = { stdout: "", stderr: "" };
  const stopping = new AbortController();
  const output = (name: keyof typeof printed) => ({
    write: (text: string) => {
      printed[name] += text;
    },
  });
  const ended = invoke({
    args: ["demo", ...args],
    commands: COMMANDS,
    config: readConfig(env),
    clock: () => new Date(),
    stdout: output("stdout"),
    stderr: output("stderr"),
    signal: stopping.signal,
  });
  let code: number | undefined;
  void ended.then((given) => {
    code = given;
  });
  return {
    printed,
    ended,
    async says(text) {
      while (!printed.stdout.includes(text)) {
        if (code !== undefined) throw new Error(`the demo ended with ${code}: ${printed.stdout}${printed.stderr}`);
        await pause(20);
      }
    },
    stop() {
      stopping.abort();
      return ended;
    },
  };
}

const urlIn = (text: string) => /http:\/\/127\.0\.0\.1:\d+/.exec(text)![0];

async function ask<Answer>(url: string): Promise<Answer> {
  return (await (await fetch(url)).json()) as Answer;
}

test("it prints the funnel, what hurts most and the dashboard's address, serves it all on one port, goes on live, and stops on Ctrl-C", async () => {
  const running = demo(["--runs", "60", "--port", "0", "--data-dir", join(folder, "whole")]);
  await running.says("Ctrl-C stops");
  const { stdout, stderr } = running.printed;
  expect(stderr).toContain("Running 60 agent runs of the last 14 days, scenario healthy.");
  for (const part of [
    "Repair funnel",
    "What hurts most",
    "runs ended",
    "From now on a live run begins",
    "Dashboard: ",
  ]) {
    expect(stdout).toContain(part);
  }
  const url = urlIn(stdout);
  expect((await fetch(url)).status).toBe(200);
  expect((await fetch(url)).headers.get("content-type")).toContain("text/html");

  const calls = async () => (await ask<FunnelAnswer>(`${url}/api/v1/funnel?last=15m`)).overall.calls.total;
  const before = await calls();
  while ((await calls()) === before) await pause(200);

  expect(await running.stop()).toBe(0);
  await expect(fetch(url)).rejects.toThrow();
  expect(running.printed.stderr).not.toContain("could not be delivered");
});

test("with --json the first line is the account, in which every span that was begun is stored, the second the addresses", async () => {
  const args = ["--json", "--no-live", "--scenario", "small", "--seed", "9", "--port", "0"];
  const running = demo(args, { MULLIGAN_DATA_DIR: join(folder, "json") });
  await running.says("/v1/traces");
  const [account, addresses] = running.printed.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(account).toMatchObject({ scenario: "small", seed: 9, runs: 48, live: false, url: addresses.url });
  expect(account.spans.begun).toBeGreaterThan(200);
  expect(account.spans).toEqual({ begun: account.spans.begun, stored: account.spans.begun, dropped: 0, failed: 0 });
  expect(account.milliseconds.linked).toBeGreaterThanOrEqual(account.milliseconds.stored);
  const total = async () => (await ask<FunnelAnswer>(`${account.url}/api/v1/funnel?last=all`)).overall.calls.total;
  const before = await total();
  await pause(3_000);
  expect(await total()).toBe(before);
  expect(await running.stop()).toBe(0);
});

test("where the port is taken it takes a free one and says which; a port that was asked for is not exchanged", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const env = { MULLIGAN_PORT: String(port) };
  const running = demo(["--runs", "5", "--no-live", "--data-dir", join(folder, "taken")], env);
  await running.says("Ctrl-C stops");
  const url = urlIn(running.printed.stdout);
  expect(running.printed.stderr).toContain(`Port ${port} is taken, so the demo listens at ${url} instead.`);
  expect(url).not.toContain(`:${port}`);
  expect(await running.stop()).toBe(0);

  const refused = demo(["--runs", "5", "--port", String(port), "--data-dir", join(folder, "asked")]);
  expect(await refused.ended).toBe(1);
  expect(refused.printed.stderr).toContain(`Port ${port} on 127.0.0.1 is taken`);
  other.close();
});

test("Ctrl-C in the middle of the fourteen days stops it too, and prints nothing more", async () => {
  const running = demo(["--runs", "20000", "--port", "0", "--data-dir", join(folder, "early")]);
  await running.says("Dashboard: ");
  await pause(500);
  expect(await running.stop()).toBe(0);
  expect(running.printed.stdout).not.toContain("Repair funnel");
});

describe("what is given wrongly is refused with what to give instead, before anything begins", () => {
  for (const [args, message] of [
    [["--runs", "0"], '--runs is "0", expected a whole number from 1 to 50000. Example: --runs 1000'],
    [["--runs", "many"], '--runs is "many", expected a whole number from 1 to 50000. Example: --runs 1000'],
    [["--seed", "-1"], '--seed is "-1", expected a whole number from 0 to 4294967295. Example: --seed 7'],
    [["--seed", "1.5"], '--seed is "1.5", expected a whole number from 0 to 4294967295. Example: --seed 7'],
    [["--scenario", "hidden"], '--scenario is "hidden", expected one of healthy, hidden-harm, small.'],
    [["--scenario", "smal"], "Example: --scenario small"],
    [["--port", "http"], '--port is "http", expected a number from 0 to 65535. Example: --port 4319'],
  ] as const) {
    test(args.join(" "), async () => {
      const refused = demo([...args, "--data-dir", join(folder, "never")]);
      expect(await refused.ended).toBe(2);
      expect(refused.printed.stderr).toContain(message);
      expect(refused.printed.stdout).toBe("");
    });
  }
});
