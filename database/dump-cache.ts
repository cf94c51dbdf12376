/**
 * The migrated empty database, kept as a dump between first starts: opening it takes a third of making it. The key
 * holds the migrations' text and PGlite's version, the file its own checksum; whatever does not fit is made anew.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";

const MIGRATIONS = new URL("../migrations/", import.meta.url);
/** The entry of PGlite lies in its `dist`; the manifest, which it does not export, beside that. */
const PGLITE = join(dirname(createRequire(import.meta.url).resolve("@electric-sql/pglite")), "../package.json");
const CHECKSUM_BYTES = 32;

/** Where a user's own caches lie on this system. */
export function userCacheDir(): string {
  const place = { darwin: "Library/Caches", win32: "AppData/Local" }[process.platform as string] ?? ".cache";
  return join(homedir(), place, "mulligan");
}

const sha256 = (content: Uint8Array) => createHash("sha256").update(content).digest();

/** 16 hex digits that change with any migration and with PGlite. */
export async function dumpKey(): Promise<string> {
  const hash = createHash("sha256").update(JSON.parse(await readFile(PGLITE, "utf8")).version);
  const files = (await readdir(MIGRATIONS)).filter((name) => /\.[jt]s$/.test(name)).sort();
  for (const name of files) hash.update(`\0${name}\0`).update(await readFile(new URL(name, MIGRATIONS)));
  return hash.digest("hex").slice(0, 16);
}

/** The cached dump, or null where there is none or it was damaged (it is removed then). */
export async function readDump(cacheDir: string): Promise<Blob | null> {
  const path = await dumpPath(cacheDir);
  try {
    const file = await readFile(path);
    const content = file.subarray(CHECKSUM_BYTES);
    if (sha256(content).equals(file.subarray(0, CHECKSUM_BYTES))) return new Blob([content]);
    await dropDump(cacheDir);
  } catch {
    // A cache that cannot be read is one that is not there.
  }
  return null;
}

/** Keeps a dump, complete or not at all, in the place of older ones. A cache that cannot be written is done without. */
export async function writeDump(cacheDir: string, dump: Blob): Promise<void> {
  const path = await dumpPath(cacheDir);
  const temporary = `${path}.${randomUUID()}`;
  try {
    const content = new Uint8Array(await dump.arrayBuffer());
    await mkdir(cacheDir, { recursive: true });
    await writeFile(temporary, Buffer.concat([sha256(content), content]));
    await rename(temporary, path);
    const older = (await readdir(cacheDir)).filter((name) => /^empty-.*\.dump$/.test(name) && name !== basename(path));
    for (const name of older) await rm(join(cacheDir, name), { force: true });
  } catch {
    await rm(temporary, { force: true }).catch(() => {});
  }
}

/** Removes the dump, for one that was whole and yet did not open. */
export async function dropDump(cacheDir: string): Promise<void> {
  await rm(await dumpPath(cacheDir), { force: true }).catch(() => {});
}

async function dumpPath(cacheDir: string): Promise<string> {
  return join(cacheDir, `empty-${await dumpKey()}.dump`);
}
