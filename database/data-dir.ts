/** What lies at a data directory's path, and the mark of one that is being made. */
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** PGlite's Postgres; its directories open in no other. */
const MAJOR = "18";

/**
 * Whether a database must be made here (nothing lies here yet, or the rest of a first start that was killed, which is
 * cleared away: nobody has ever written into that).
 *
 * @throws when something else lies here.
 */
export async function isNew(dataDir: string): Promise<boolean> {
  const names = await readdir(dataDir).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === "ENOENT") return [];
    if (error.code === "ENOTDIR") {
      throw new Error(`The data directory ${dataDir} is a file. Give a directory, as in --data-dir .mulligan/data.`);
    }
    throw error;
  });
  if (await isUnfinished(dataDir)) {
    await rm(dataDir, { recursive: true, force: true });
    return true;
  }
  if (names.length === 0) return true;
  if (!names.includes("PG_VERSION")) {
    throw new Error(
      `The data directory ${dataDir} holds other files (${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""}). Give an empty or a new directory, as in --data-dir .mulligan/data.`,
    );
  }
  const major = (await readFile(join(dataDir, "PG_VERSION"), "utf8")).trim();
  if (major !== MAJOR) {
    throw new Error(
      `The data directory ${dataDir} belongs to PostgreSQL ${major}, and the embedded database is ${MAJOR}. Run a PostgreSQL ${major} server on it and give its address in DATABASE_URL, or give a new directory in --data-dir.`,
    );
  }
  return false;
}

const markPath = (dataDir: string) => `${dataDir}.unfinished`;

async function isUnfinished(dataDir: string): Promise<boolean> {
  return readFile(markPath(dataDir)).then(
    () => true,
    () => false,
  );
}

/** Marks a directory from before its first file until it opens as a database. */
export async function markUnfinished(dataDir: string): Promise<void> {
  await writeFile(markPath(dataDir), "This database is being made for the first time.\n");
}

export async function markFinished(dataDir: string): Promise<void> {
  await rm(markPath(dataDir), { force: true });
}
