import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, inject, it, vi } from "vitest";
import { connect } from "../../database/connect.ts";
import { dumpKey, readDump, writeDump } from "../../database/dump-cache.ts";
import { pendingMigrations } from "../../database/migrate.ts";

// Databases are made and opened in these tests: seconds each on an idle machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let cacheDir: string;
let path: string;
beforeEach(async () => {
  cacheDir = await mkdtemp(join(tmpdir(), "mulligan-cache-"));
  path = join(cacheDir, `empty-${await dumpKey()}.dump`);
});
afterEach(() => rm(cacheDir, { recursive: true, force: true }));

it.each(["cut short", "changed", "empty"])("does not give a dump whose file is %s, and removes it", async (damage) => {
  await writeFile(path, await damaged(damage));
  expect(await readDump(cacheDir)).toBeNull();
  expect(await readdir(cacheDir)).toEqual([]);
});

async function damaged(damage: string): Promise<Uint8Array> {
  const whole = await readFile(join(inject("dumpDir"), `empty-${await dumpKey()}.dump`));
  const changed = Buffer.from(whole);
  changed[100_000] = 255 - (changed[100_000] ?? 0);
  return { "cut short": whole.subarray(0, 100_000), changed, empty: Buffer.alloc(0) }[damage] ?? expect.fail();
}

it("is made anew by a start that finds a damaged one, in the place of an older version's too", async () => {
  await writeFile(path, await damaged("changed"));
  await writeFile(join(cacheDir, "empty-0000000000000000.dump"), "old");
  await writeFile(join(cacheDir, "somebody-elses.file"), "kept");
  const { db, close } = await connect({ cacheDir });
  expect(await pendingMigrations(db)).toEqual([]);
  await close();
  expect((await readdir(cacheDir)).toSorted()).toEqual([`empty-${await dumpKey()}.dump`, "somebody-elses.file"]);
  expect((await readDump(cacheDir))?.size).toBeGreaterThan(1_000_000);
});

it("is made anew where the file is whole and yet opens as no database, on disk too", async () => {
  await writeDump(cacheDir, new Blob(["a whole file, and no database"]));
  const dataDir = join(cacheDir, "data");
  const { db, close } = await connect({ cacheDir, dataDir });
  expect(await pendingMigrations(db)).toEqual([]);
  await close();
  expect((await readDump(cacheDir))?.size).toBeGreaterThan(1_000_000);
});

it("is done without where it cannot be written", async () => {
  const file = join(cacheDir, "a-file");
  await writeFile(file, "");
  await writeDump(file, new Blob(["a dump"]));
  expect(await readDump(file)).toBeNull();
  expect(await readFile(file, "utf8")).toBe("");
});
