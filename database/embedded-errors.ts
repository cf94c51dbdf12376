/** What keeps the embedded database from opening, in words that a person can act on. */

/** The codes of Node, and what each asks for. */
const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full: make room, then start again; what was acknowledged is still there.",
  EDQUOT: "The disk quota is used up: make room, then start again; what was acknowledged is still there.",
  EROFS: "The file system is read-only: give a folder that can be written with --data-dir or MULLIGAN_DATA_DIR.",
  EACCES: "This user may not write there: change its permissions, or give another folder with --data-dir.",
  EPERM: "This user may not write there: change its permissions, or give another folder with --data-dir.",
};

/** emscripten's own numbers (musl's errno.h), which arrive as plain objects without a message. */
const NUMBERS: Readonly<Record<number, string>> = { 2: "EACCES", 51: "ENOSPC", 63: "EPERM", 69: "EROFS" };

/**
 * The error of an embedded database that did not open. One that says itself what to do is given back as it is.
 *
 * @param dataDir the folder; absent where it is in memory
 */
export function explainEmbeddedError(dataDir: string | undefined, error: unknown): Error {
  const code = codeOf(error);
  const where = dataDir === undefined ? "in memory" : `in ${dataDir}`;
  if (code !== undefined) {
    return new Error(`The embedded database ${where} cannot be opened (${code}). ${ADVICE[code]}`, { cause: error });
  }
  const isRaw = !(error instanceof Error) || /^Aborted\(|sASSERTIONS|unreachable|memory access/.test(error.message);
  if (!isRaw) return error;
  return new Error(
    `The embedded database ${where} cannot be opened: its files are damaged, or the disk was full when it was closed. Make room on the disk and start again; if that does not help, move the folder away (a new one is made) and import or send the data again.`,
    { cause: error },
  );
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  const named = typeof code === "string" ? code : typeof errno === "number" ? NUMBERS[errno] : undefined;
  return named !== undefined && named in ADVICE ? named : undefined;
}
