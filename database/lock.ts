/**
 * The lock of a data directory: a file beside it (`DIR.lock`) that says which process has it open. PGlite itself would
 * let a second process open the directory and write, and the first would never see that.
 */
import { randomUUID } from "node:crypto";
import {
  copyFile,
  constants as fsConstants,
  link,
  mkdir,
  readFile,
  realpath,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isRunning, processIdentity } from "./process-identity.ts";

/** Who holds a data directory. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** When the directory was locked, ISO 8601 in UTC. */
  readonly since: string;
  /** Where its server listens, once it has announced that. */
  readonly url?: string;
  /** See `processIdentity`. */
  readonly process?: string;
  /** Tells this holding of the lock from every other one. */
  readonly token: string;
}

export interface DataDirLock {
  /** Tells other processes where to ask instead: the address of the server that holds the directory. */
  announce(url: string): Promise<void>;
  /** Gives the directory free; harmless when repeated. */
  release(): Promise<void>;
}

/** Thrown when another process has the data directory open. `holder` says which. */
export class DataDirLockedError extends Error {
  override readonly name = "DataDirLockedError";
  readonly holder: LockHolder;
  constructor(dataDir: string, path: string, holder: LockHolder) {
    super(explain(dataDir, path, holder));
    this.holder = holder;
  }
}

function explain(dataDir: string, path: string, holder: LockHolder): string {
  const elsewhere = holder.host !== hostname();
  const who = `process ${holder.pid}${elsewhere ? ` on ${holder.host}` : ""}, since ${holder.since}`;
  const ask = holder.url === undefined ? "" : ` It serves ${holder.url}: ask there.`;
  const gone = elsewhere ? `If that machine or container is gone, delete ${path}.` : `Stop it (kill ${holder.pid}).`;
  return `The data directory ${dataDir} is open in ${who}; the embedded database takes one process at a time.${ask} ${gone} Or give another --data-dir, or a Postgres server in DATABASE_URL, which many processes can share.`;
}

/** `DIR.lock`, the same whatever way the directory is spelled. */
async function lockPath(dataDir: string): Promise<string> {
  const path = resolve(dataDir);
  const real = await realpath(path).catch(async () => join(await realpath(dirname(path)), basename(path)));
  return `${real}.lock`;
}

async function readHolder(path: string): Promise<LockHolder | null> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return null;
  try {
    const holder: LockHolder = JSON.parse(text);
    if (Number.isInteger(holder.pid) && typeof holder.host === "string" && typeof holder.token === "string")
      return holder;
  } catch {
    // said below
  }
  throw new Error(
    `The lock file ${path} does not say who holds the data directory (its content is no lock of ours). If no Mulligan runs on that directory, delete the file.`,
  );
}

const isAlive = (holder: LockHolder) => holder.host !== hostname() || isRunning(holder.pid, holder.process);

/**
 * Who holds a data directory, if a living process does. A holder on another host is taken as living: its pid says
 * nothing here.
 */
export async function readLock(dataDir: string): Promise<LockHolder | null> {
  const path = await lockPath(dataDir).catch(() => null); // no parent directory, no lock
  const holder = path === null ? null : await readHolder(path);
  return holder !== null && isAlive(holder) ? holder : null;
}

/** Writes a file that appears complete or not at all; false where one of that name is there. */
async function place(path: string, content: string): Promise<boolean> {
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, content);
  try {
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") throw error;
      return copyFile(temporary, path, fsConstants.COPYFILE_EXCL); // a file system without hard links
    });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function replace(path: string, content: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, content);
  await rename(temporary, path);
}

/**
 * Puts `mine` at `path`, over a dead process' lock if one is there; gives the living holder otherwise.
 *
 * Only who holds `PATH.takeover` may remove a lock, and looks at it once more before: else of two processes that both
 * saw the same dead lock, the slower one would remove the faster one's new lock.
 */
async function claim(path: string, mine: LockHolder): Promise<LockHolder | null> {
  for (;;) {
    if (await place(path, JSON.stringify(mine))) return null;
    const holder = await readHolder(path);
    if (holder === null) continue; // given free since
    if (isAlive(holder)) return holder;
    const takeover = `${path}.takeover`;
    if ((await claim(takeover, mine)) !== null) {
      await pause(5); // another one is taking it over: look again who has it then
      continue;
    }
    try {
      if ((await readHolder(path))?.token === holder.token) {
        await replace(path, JSON.stringify(mine));
        return null;
      }
    } finally {
      await rm(takeover, { force: true });
    }
  }
}

/**
 * Locks a data directory for this process. A lock whose process is dead is taken over.
 *
 * @param clock gives the time that the lock shows to others.
 * @throws DataDirLockedError when another process, or this one, has it open.
 */
export async function lockDataDir(dataDir: string, clock: () => Date): Promise<DataDirLock> {
  await mkdir(dirname(resolve(dataDir)), { recursive: true });
  const path = await lockPath(dataDir);
  const identity = processIdentity(process.pid);
  const mine: LockHolder = {
    pid: process.pid,
    host: hostname(),
    since: clock().toISOString(),
    ...(identity === undefined ? {} : { process: identity }),
    token: randomUUID(),
  };
  if (heldHere.has(path)) throw new DataDirLockedError(dataDir, path, (await readHolder(path)) ?? mine);
  heldHere.add(path);
  try {
    const holder = await claim(path, mine);
    if (holder !== null) throw new DataDirLockedError(dataDir, path, holder);
  } catch (error) {
    heldHere.delete(path);
    throw error;
  }
  return {
    announce: (url) => replace(path, JSON.stringify({ ...mine, url })),
    async release() {
      if (!heldHere.delete(path)) return;
      if ((await readHolder(path))?.token === mine.token) await rm(path, { force: true });
    },
  };
}

/** Locks of this process: where the system has no process identity, our own pid would look like a dead one's. */
const heldHere = new Set<string>();
