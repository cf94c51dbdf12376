/**
 * A transcript file → observations, with an account of everything in it.
 *
 * The same run read again replaces what was there: nothing is counted twice, in whatever order files come. The same
 * content read again under the same rules and key is not even read.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { Kysely } from "kysely";
import type { Database } from "../database/schema.ts";
import { addBroken, addRun, emptyAccounting, type ImportAccounting } from "./importing/accounting.ts";
import { checkedSource, sourceNamed } from "./importing/identity.ts";
import { readImport, readShapes, writeImport } from "./importing/import-log.ts";
import { createRunWriter } from "./importing/run-writer.ts";
import { ImportRefusedError, openTranscript, type TranscriptFile } from "./importing/transcript-file.ts";
import type { Rules } from "./rules.ts";
import type { Store } from "./store.ts";
import { createErrorTexts } from "./transcripts/error-texts.ts";
import { createSigner } from "./transcripts/signer.ts";
import type { TranscriptRun } from "./transcripts/types.ts";

export type { ImportAccounting } from "./importing/accounting.ts";
export { ImportRefusedError } from "./importing/transcript-file.ts";

/** Goes up when the same file is read to other records than before: it is then read anew. */
const READER_VERSION = 1;

export interface ImportProgress {
  readonly bytes: number;
  readonly totalBytes: number;
  readonly runs: number;
  readonly calls: number;
}

export interface ReadOptions {
  readonly path: string;
  /** `auto` detects. */
  readonly format: string;
  readonly rules: Rules | null;
  /** Names where the runs come from; null: made of the file's name. */
  readonly source: string | null;
  /** At least 16 bytes. */
  readonly signingKey: string;
  readonly onProgress?: (progress: ImportProgress) => void;
  readonly signal?: AbortSignal;
}

export interface ImportOptions extends ReadOptions {
  readonly db: Kysely<Database>;
  readonly store: Store;
  readonly projectId: number;
  readonly clock: () => Date;
}

export interface ImportReport {
  readonly accounting: ImportAccounting;
  /** When this very content was imported before, with the same rules and key: then nothing was done. */
  readonly importedBefore: Date | null;
}

/**
 * Imports one file.
 * @throws ImportRefusedError where the file is not read, with what it is and what to do; nothing of it is stored then
 */
export async function importFile(options: ImportOptions): Promise<ImportReport> {
  const { db, store, projectId, clock } = options;
  const file = await openTranscript(options.path, options.format);
  const accounting = accountOf(file, options);
  const before = await readImport(db, projectId, accounting.source, file.sha256);
  if (before?.accounting.settings === accounting.settings) {
    return { accounting: before.accounting, importedBefore: before.importedAt };
  }
  const shapes = await readShapes(db, projectId);
  const now = clock();
  const writer = createRunWriter({ db, store, projectId, now, accounting, again: before !== null });
  await readRuns(file, options, accounting, shapes, (run) => writer.add(run));
  await writer.end();
  if (before !== null) accounting.duplicates_skipped = before.accounting.duplicates_skipped;
  await writeImport(db, projectId, file, accounting, now);
  return { accounting, importedBefore: null };
}

/**
 * Reads a file and stores nothing: what `--strict` looks at before the first file is imported.
 * @throws ImportRefusedError as `importFile` does
 */
export async function surveyFile(options: ReadOptions): Promise<ImportAccounting> {
  const file = await openTranscript(options.path, options.format);
  const accounting = accountOf(file, options);
  await readRuns(file, options, accounting, new Map(), async () => {});
  return accounting;
}

function accountOf(file: TranscriptFile, { source, rules, signingKey }: ReadOptions): ImportAccounting {
  const { keyId } = createSigner(signingKey);
  const settings = JSON.stringify([READER_VERSION, file.format.name, rules?.sha256 ?? null, keyId]);
  return emptyAccounting({
    file: file.name,
    source: source === null ? sourceNamed(file.format.defaultSource(file.name)) : checkedSource(source),
    format: file.format.name,
    rules: rules?.name ?? null,
    bytes: file.bytes,
    settings: createHash("sha256").update(settings).digest("hex"),
  });
}

/** Reads every run, and keeps the account. The bytes must still be those that were looked at. */
async function readRuns(
  file: TranscriptFile,
  { rules, signingKey, onProgress, signal }: ReadOptions,
  accounting: ImportAccounting,
  shapes: Map<string, Set<string>>,
  take: (run: TranscriptRun) => Promise<void>,
): Promise<void> {
  const signer = createSigner(signingKey);
  const context = { file: file.name, signer, errorTexts: createErrorTexts(rules?.rules ?? [], signer, shapes) };
  const hash = createHash("sha256");
  let bytes = 0;
  const report = () => {
    onProgress?.({ bytes, totalBytes: file.bytes, runs: accounting.runs, calls: accounting.calls });
  };
  async function* measured() {
    for await (const chunk of createReadStream(file.path, { highWaterMark: 256 * 1024 })) {
      signal?.throwIfAborted();
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk as Uint8Array;
      report();
    }
  }
  for await (const output of file.format.read(measured(), context)) {
    if (output.kind === "broken") {
      addBroken(accounting, output);
      continue;
    }
    addRun(accounting, output);
    await take(output);
  }
  report();
  if (accounting.runs === 0) throw new ImportRefusedError(nothingIn(file, accounting));
  if (hash.digest("hex") !== file.sha256) {
    throw new Error(`${file.path} changed while it was read. Import it again when nothing writes to it.`);
  }
}

function nothingIn({ path, format }: TranscriptFile, { broken_lines, broken_places }: ImportAccounting): string {
  const first = broken_lines[0];
  if (first === undefined) return `${path} holds no runs: there is nothing to import.`;
  const others = broken_places > 1 ? ` (and ${broken_places - 1} more places)` : "";
  return `${path} was read as ${format.title}, and no run was found. Line ${first.line}: ${first.message}${others}`;
}
