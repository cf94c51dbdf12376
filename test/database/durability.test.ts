import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, inject, it, vi } from "vitest";
import { connect } from "../../database/connect.ts";
import { type Child, startChild } from "../support/child.ts";

// Databases are made and opened in these tests: seconds each on an idle machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const INSERT = new URL("./children/insert.ts", import.meta.url);

let parent: string;
let child: Child | undefined;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "mulligan-kill-"));
});
afterEach(async () => {
  child?.process.kill("SIGKILL");
  await rm(parent, { recursive: true, force: true });
});

it("keeps every acknowledged row of a process killed with -9, again and again, and nothing runs on after the kill", async () => {
  const dataDir = join(parent, "data");
  const cacheDir = inject("dumpDir");
  let next = 0;
  for (const rows of [1, 500, 60]) {
    child = startChild(INSERT, dataDir, cacheDir, String(next));
    const acknowledged: number[] = [];
    while (acknowledged.length < rows) {
      const { value, done } = await child.lines.next();
      if (done === true) expect.fail(`the child ended: ${child.errors()}`);
      acknowledged.push(Number(value));
    }
    const pid = child.process.pid ?? expect.fail("no pid");
    // A worker is no process: with the one that is killed, all is.
    const list = `/proc/${pid}/task/${pid}/children`;
    if (existsSync(list)) expect(readFileSync(list, "utf8")).toBe("");
    child.process.kill("SIGKILL");
    expect(await child.ended).toBe("SIGKILL");
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    for await (const line of child.lines) acknowledged.push(Number(line)); // said, and not yet read

    const { db, close } = await connect({ dataDir, cacheDir });
    const found = await db.selectFrom("dirty_run").select("run_id").execute();
    const numbers = found.map((row) => Number(row.run_id)).sort((a, b) => a - b);
    // From 0 without a gap; at most one was committed and not yet acknowledged.
    expect(numbers).toEqual(numbers.map((_, index) => index));
    expect(acknowledged.every((number) => number < numbers.length)).toBe(true);
    expect(numbers.length - (acknowledged.at(-1) ?? 0) - 1).toBeLessThanOrEqual(1);
    next = numbers.length;
    await close();
  }
});
