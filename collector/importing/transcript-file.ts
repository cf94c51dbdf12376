/** A file on disk: what it is, how long, and which format reads it. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { detect, HEAD_BYTES } from "../transcripts/detect.ts";
import { FORMATS, formatNamed } from "../transcripts/formats.ts";
import type { TranscriptFormat } from "../transcripts/types.ts";

export interface TranscriptFile {
  readonly path: string;
  /** Without folders. */
  readonly name: string;
  readonly bytes: number;
  /** Of the whole content. */
  readonly sha256: string;
  readonly format: TranscriptFormat;
}

/** The file is not imported: the message says what it is and what to do. */
export class ImportRefusedError extends Error {
  override name = "ImportRefusedError";
}

/**
 * Looks at a file and chooses its format.
 * @param format a name of `--format`; `auto` detects
 * @throws ImportRefusedError where it is no readable file, or not in a format that is read here
 */
export async function openTranscript(path: string, format: string): Promise<TranscriptFile> {
  const name = basename(path);
  const bytes = await sizeOf(path);
  return { path, name, bytes, format: chooseFormat(path, format, await readHead(path)), sha256: await hashOf(path) };
}

async function sizeOf(path: string): Promise<number> {
  try {
    const found = await stat(path);
    if (found.isFile()) return found.size;
  } catch (error) {
    throw new ImportRefusedError(`${path}: ${cannotRead(error)}`, { cause: error });
  }
  throw new ImportRefusedError(`${path} is no regular file. Give a file, or a folder of files.`);
}

async function readHead(path: string): Promise<Uint8Array> {
  try {
    const file = await open(path);
    try {
      const head = Buffer.alloc(HEAD_BYTES);
      const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
      return head.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw new ImportRefusedError(`${path}: ${cannotRead(error)}`, { cause: error });
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk);
  return hash.digest("hex");
}

function chooseFormat(path: string, wanted: string, head: Uint8Array): TranscriptFormat {
  const readable = FORMATS.map((format) => format.name).join(", ");
  const chosen = wanted === "auto" ? undefined : formatNamed(wanted);
  if (wanted !== "auto" && chosen === undefined) {
    throw new ImportRefusedError(
      `--format ${JSON.stringify(wanted.slice(0, 40))} is not read. Write one of auto, ${readable}.`,
    );
  }
  const found = detect(head);
  if (found.kind === "foreign") throw new ImportRefusedError(`${path} is ${found.what}. ${found.advice}`);
  if (found.kind === "unknown") {
    if (chosen !== undefined) return chosen;
    throw new ImportRefusedError(
      `${path} is ${found.what}: no format was recognised. Formats that are read: ${readable}. If it is one of them, name it with --format.`,
    );
  }
  const format = formatNamed(found.name);
  if (format === undefined) {
    throw new ImportRefusedError(
      `${path} looks like ${found.what} (${found.name}), which is not read. Formats that are read: ${readable}.`,
    );
  }
  if (chosen !== undefined && chosen !== format) {
    throw new ImportRefusedError(
      `${path} looks like ${found.what}, not ${chosen.title}. Write --format ${format.name}, or leave --format out.`,
    );
  }
  return format;
}

function cannotRead(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") return "no such file. Check the path; quote it where it holds spaces.";
  if (code === "EACCES" || code === "EPERM") return "it may not be read. Check its permissions.";
  return `it cannot be read (${code ?? "unknown error"}).`;
}
