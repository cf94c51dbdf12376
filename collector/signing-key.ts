/** The key under which imports sign: the configured one, else one that is generated once and kept. */
import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LEAST_KEY_BYTES } from "@mulligan/instrumentation/internal/signing-key";

export interface SigningKeyOptions {
  /** `MULLIGAN_SIGNING_KEY`, where it is set. */
  readonly configured: string | undefined;
  /** Where the generated key is kept. */
  readonly folder: string;
}

export interface SigningKeyText {
  readonly key: string;
  /** The file that was made just now; null where the key was there. */
  readonly madeAt: string | null;
}

const FILE = "signing.key";

/**
 * The configured key, else that of `signing.key` in the folder, which is made where it is missing (mode 0600, 32 random
 * bytes as text). Slices of one transcript that are read on two days meet only under one key.
 *
 * @throws where a key is too short, or the file cannot be read or written
 */
export async function signingKeyText({ configured, folder }: SigningKeyOptions): Promise<SigningKeyText> {
  if (configured !== undefined) return { key: checked(configured, "MULLIGAN_SIGNING_KEY"), madeAt: null };
  const path = join(folder, FILE);
  const kept = await readKey(path);
  if (kept !== null) return { key: checked(kept, path), madeAt: null };
  return makeKey(folder, path);
}

function checked(key: string, where: string): string {
  const bytes = Buffer.byteLength(key);
  if (bytes >= LEAST_KEY_BYTES) return key;
  const message = `The signing key in ${where} has ${bytes} bytes, expected at least ${LEAST_KEY_BYTES}.`;
  throw new Error(`${message} Make one with \`openssl rand -hex 32\` and keep it: digests compare only under one key.`);
}

async function readKey(path: string): Promise<string | null> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw explained(path, error);
  }
}

/** Written whole under another name and then linked, so that two imports that start at once end up with one key. */
async function makeKey(folder: string, path: string): Promise<SigningKeyText> {
  const key = randomBytes(32).toString("base64url");
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(draft, `${key}\n`, { mode: 0o600, flag: "wx" });
    await link(draft, path);
    return { key, madeAt: path };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw explained(path, error);
    const others = await readKey(path);
    if (others === null) throw explained(path, error);
    return { key: checked(others, path), madeAt: null };
  } finally {
    await rm(draft, { force: true });
  }
}

function explained(path: string, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  const advice = "Set MULLIGAN_SIGNING_KEY, or give a data folder that can be written with --data-dir.";
  return new Error(`The signing key ${path} cannot be used: ${reason}. ${advice}`, { cause: error });
}
