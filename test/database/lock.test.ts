import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DataDirLockedError, lockDataDir, readLock } from "../../database/lock.ts";
import { type Child, startChild } from "../support/child.ts";

const HOLD = new URL("./children/hold-lock.ts", import.meta.url);
const clock = () => new Date("2026-11-30T12:00:00Z");

let parent: string;
let dataDir: string;
let children: Child[];
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "mulligan-lock-"));
  dataDir = join(parent, "data");
  children = [];
});
afterEach(async () => {
  for (const child of children) child.process.kill("SIGKILL");
  await Promise.all(children.map((child) => child.ended));
  await rm(parent, { recursive: true, force: true });
});

/** Starts a process that locks the directory; gives its first word: `held`, or the pid that it was refused for. */
async function start(): Promise<{ child: Child; word: string }> {
  const child = startChild(HOLD, dataDir);
  children.push(child);
  const { value } = await child.lines.next();
  return { child, word: String(value ?? child.errors()) };
}

async function killHolder(): Promise<number> {
  const { child, word } = await start();
  expect(word).toBe("held");
  child.process.kill("SIGKILL");
  await child.ended;
  return child.process.pid ?? expect.fail("no pid");
}

it("refuses a second process, and names the first one's pid and address and what to do", async () => {
  const { child } = await start();
  const refused = await lockDataDir(dataDir, clock).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(DataDirLockedError);
  expect(String(refused)).toContain(`open in process ${child.process.pid}`);
  expect(String(refused)).toContain(`kill ${child.process.pid}`);
  expect(String(refused)).toContain("DATABASE_URL");
});

it("says where the holder serves once that was announced, to a refused process and to who only reads the lock", async () => {
  const lock = await lockDataDir(dataDir, clock);
  expect(await readLock(dataDir)).toMatchObject({ pid: process.pid, since: "2026-11-30T12:00:00.000Z" });
  await lock.announce("http://127.0.0.1:4318");
  expect(await readLock(dataDir)).toMatchObject({ pid: process.pid, url: "http://127.0.0.1:4318" });
  await expect(lockDataDir(dataDir, clock)).rejects.toThrow("It serves http://127.0.0.1:4318: ask there.");
  await lock.release();
});

it("refuses the same process a second time, also by another spelling of the path", async () => {
  const lock = await lockDataDir(dataDir, clock);
  await symlink(parent, join(parent, "other"));
  await expect(lockDataDir(join(parent, "other", "data"), clock)).rejects.toThrow(DataDirLockedError);
  await expect(lockDataDir(`${dataDir}/../data/`, clock)).rejects.toThrow(DataDirLockedError);
  await lock.release();
});

it("gives the directory free on release, with nothing left behind", async () => {
  for (let turn = 0; turn < 2; turn++) {
    const lock = await lockDataDir(dataDir, clock);
    await lock.release();
    await lock.release();
  }
  expect(await readLock(dataDir)).toBeNull();
  expect(await readdir(parent)).toEqual([]);
});

it("takes over the lock of a killed process, which readLock does not count", async () => {
  const pid = await killHolder();
  expect(await readFile(`${dataDir}.lock`, "utf8")).toContain(String(pid));
  expect(await readLock(dataDir)).toBeNull();
  const lock = await lockDataDir(dataDir, clock);
  expect(await readLock(dataDir)).toMatchObject({ pid: process.pid });
  await lock.release();
  expect(await readdir(parent)).toEqual([]);
});

it("takes over a lock with our own pid that an earlier process wrote, as in a restarted container", async () => {
  const old = {
    pid: process.pid,
    host: hostname(),
    since: "2026-11-29T00:00:00Z",
    process: "an-earlier-boot:1",
    token: "old",
  };
  await writeFile(`${dataDir}.lock`, JSON.stringify(old));
  const lock = await lockDataDir(dataDir, clock);
  await lock.release();
  const { process: _, ...plain } = old; // from a system that tells no process identity
  await writeFile(`${dataDir}.lock`, JSON.stringify(plain));
  await (await lockDataDir(dataDir, clock)).release();
});

it("takes over a lock whose taking over was itself killed", async () => {
  await killHolder();
  const dead = await readFile(`${dataDir}.lock`, "utf8");
  await writeFile(`${dataDir}.lock.takeover`, dead);
  await (await lockDataDir(dataDir, clock)).release();
  expect(await readdir(parent)).toEqual([]);
});

it("respects a lock of another host, and says which file to delete if that one is gone", async () => {
  await writeFile(
    `${dataDir}.lock`,
    JSON.stringify({ pid: 1, host: "elsewhere", since: "2026-11-29T00:00:00Z", token: "x" }),
  );
  await expect(lockDataDir(dataDir, clock)).rejects.toThrow(/process 1 on elsewhere.*delete .*data\.lock/);
});

it("does not guess about a lock file that says nothing", async () => {
  await writeFile(`${dataDir}.lock`, "hello");
  await expect(lockDataDir(dataDir, clock)).rejects.toThrow(/does not say who holds.*delete the file/);
  await expect(readLock(dataDir)).rejects.toThrow("does not say who holds");
});

it("finds no lock where there is no directory", async () => {
  expect(await readLock(join(parent, "no", "such", "data"))).toBeNull();
});

it.each(["nobody has it", "a killed process has it"])(
  "lets one of six simultaneous starts win when %s",
  async (before) => {
    if (before === "a killed process has it") await killHolder();
    const started = await Promise.all(Array.from({ length: 6 }, start));
    const winners = started.filter(({ word }) => word === "held");
    expect(winners).toHaveLength(1);
    const pid = String(winners[0]?.child.process.pid);
    expect(started.map(({ word }) => word).filter((word) => word !== "held")).toEqual(Array(5).fill(pid));
  },
);

it("lets one win whenever threads find a dead process' lock in the same instant", async () => {
  const script = new URL("./children/race-lock.ts", import.meta.url);
  const racers = Array.from({ length: 4 }, () => new Worker(script, { workerData: dataDir }));
  const answers = () => Promise.all(racers.map(async (racer) => (await once(racer, "message"))[0] as string));
  await Promise.all(racers.map((racer) => once(racer, "online")));
  const dead = { pid: process.pid, host: hostname(), since: "2026-11-29T00:00:00Z", process: "an-earlier-boot:1" };
  for (let round = 0; round < 100; round++) {
    await writeFile(`${dataDir}.lock`, JSON.stringify({ ...dead, token: String(round) }));
    for (const word of ["lock", "release"]) {
      const answered = answers();
      for (const racer of racers) racer.postMessage(word);
      const winners = (await answered).filter((answer) => answer === "held").length;
      expect({ round, word, winners }).toEqual({ round, word, winners: word === "lock" ? 1 : 0 });
    }
    expect(await readdir(parent)).toEqual([]);
  }
  await Promise.all(racers.map((racer) => racer.terminate()));
});
