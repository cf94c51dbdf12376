/** `mulligan import`: transcripts that are there already → runs, turns, calls and their repairs. */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { linkPending } from "../analytics/episodes/linker.ts";
import { assemblePending } from "../collector/assembler.ts";
import {
  type ImportAccounting,
  type ImportProgress,
  ImportRefusedError,
  importFile,
  type ReadOptions,
  surveyFile,
} from "../collector/import.ts";
import { checkedSource } from "../collector/importing/identity.ts";
import { type Rules, RulesError, readRules } from "../collector/rules.ts";
import { signingKeyText } from "../collector/signing-key.ts";
import { createStore } from "../collector/store.ts";
import { FORMATS } from "../collector/transcripts/formats.ts";
import type { Connection } from "../database/connect.ts";
import { DEFAULT_PROJECT_ID } from "../database/default-project.ts";
import { CommandError, defineCommand, type ExitCode, type Output, UsageError } from "./command.ts";
import { describeDetails, describeImport } from "./import-account.ts";
import { transcriptPaths } from "./import-paths.ts";
import { createImportProgress } from "./import-progress.ts";

const FORMAT_NAMES = ["auto", ...FORMATS.map((format) => format.name)];

interface Refused {
  readonly file: string;
  readonly message: string;
}

type Job = Omit<ReadOptions, "path" | "onProgress"> & {
  readonly paths: readonly string[];
  readonly signal: AbortSignal;
};

interface Terminal {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly json: boolean;
}

export const importCommand = defineCommand({
  name: "import",
  summary: "Read transcript files into the database.",
  positionals: "PATH...",
  details: [
    "A folder stands for the .json, .jsonl and .ndjson files in it. Nothing of a transcript's content is stored:",
    "arguments become keyed digests, error texts a class and a fingerprint. The same run read again is counted once.",
    "Chat messages carry no error flag: a rules file says which results are errors, and of what class.",
  ].join("\n"),
  options: {
    format: {
      type: "string",
      placeholder: "NAME",
      description: `Format of the files: ${FORMAT_NAMES.join(", ")}. Default: auto.`,
    },
    rules: { type: "string", placeholder: "FILE", description: "Rules (YAML or JSON) that say what error texts mean." },
    source: {
      type: "string",
      placeholder: "NAME",
      description: "Where the runs come from; runs of two sources are never one. Default: the file's name.",
    },
    strict: {
      type: "boolean",
      description: "Import nothing if any file has a result without a call, or a place that cannot be read.",
    },
  },
  examples: [
    {
      command: "mulligan import --rules examples/rules/tau-bench.yaml gpt-4o-airline.json",
      shows: "a τ-bench file, whose errors begin with a word",
    },
    { command: "mulligan import --strict transcripts/", shows: "a folder, or nothing where anything is amiss" },
  ],
  async run({ values, positionals, stdout, stderr, config, clock, signal, openDatabase }) {
    const format = values.format ?? "auto";
    if (positionals.length === 0) throw new UsageError("No path was given. Example: mulligan import transcripts/");
    if (!FORMAT_NAMES.includes(format)) {
      throw new UsageError(
        `--format is ${JSON.stringify(format.slice(0, 40))}, expected one of ${FORMAT_NAMES.join(", ")}.`,
      );
    }
    const source = values.source === undefined ? null : usable(values.source);
    const rules = values.rules === undefined ? null : await loadRules(values.rules);
    const paths = await transcriptPaths(positionals);
    if (paths.length === 0) {
      throw new CommandError("The folder holds no .json, .jsonl or .ndjson file. Name the files to import.");
    }
    const terminal: Terminal = { stdout, stderr, json: values.json };
    const connection = await openDatabase();
    try {
      // Beside the embedded database; a server's has no folder here, and the embedded one's must stay empty before its
      // first start.
      const folder = connection.kind === "server" ? `${config.dataDir}-keys` : config.dataDir;
      const { key, madeAt } = await signingKeyText({ configured: config.signingKey, folder });
      if (madeAt !== null) {
        stderr.write(`Made a signing key in ${madeAt}. Keep it: digests of later imports compare only under it.\n`);
      }
      const job: Job = { paths, format, rules, source, signingKey: key, signal };
      if (values.strict && !(await passesStrictly(job, terminal))) return 1;
      return await importAll(job, connection, clock, terminal);
    } finally {
      await connection.close();
    }
  },
});

async function importAll(
  { paths, ...options }: Job,
  { db }: Connection,
  clock: () => Date,
  terminal: Terminal,
): Promise<ExitCode> {
  const store = createStore({ db, clock, projectId: DEFAULT_PROJECT_ID });
  const progress = createImportProgress(terminal.stderr, clock);
  const imported: (ImportAccounting & { imported_before: Date | null })[] = [];
  const refused: Refused[] = [];
  for (const path of paths) {
    const onProgress = (now: ImportProgress) => progress.report(basename(path), now);
    try {
      const report = await importFile({
        ...options,
        db,
        store,
        projectId: DEFAULT_PROJECT_ID,
        clock,
        onProgress,
        path,
      });
      imported.push({ ...report.accounting, imported_before: report.importedBefore });
      progress.clear();
      if (!terminal.json) terminal.stdout.write(describeImport(report));
    } catch (error) {
      progress.clear();
      if (options.signal.aborted) break;
      if (!(error instanceof ImportRefusedError)) throw error;
      refused.push({ file: path, message: error.message });
      terminal.stderr.write(`${error.message}\n`);
    }
  }
  const { signal } = options;
  const onSetAside = () => terminal.stderr.write(SET_ASIDE);
  await assemblePending(db, { clock, projectId: DEFAULT_PROJECT_ID, signal, onSetAside });
  await linkPending(db, { projectId: DEFAULT_PROJECT_ID, clock, signal });
  if (options.signal.aborted) throw new CommandError(STOPPED);
  if (terminal.json) terminal.stdout.write(`${JSON.stringify({ imported, refused }, null, 2)}\n`);
  return refused.length > 0 ? 1 : 0;
}

const SET_ASIDE =
  "A run cannot be assembled and was set aside: it is in no rate. It is a fault of Mulligan; please report it.\n";
const STOPPED =
  "Stopped. The runs read so far are stored, each of them whole; the same import again goes on from there.";

/** Whether nothing is amiss in any file; else says what, and nothing has been imported. */
async function passesStrictly({ paths, ...options }: Job, terminal: Terminal): Promise<boolean> {
  const amiss: (ImportAccounting | Refused)[] = [];
  for (const path of paths) {
    try {
      const accounting = await surveyFile({ ...options, path });
      if (accounting.orphan_results === 0 && accounting.broken_places === 0) continue;
      amiss.push(accounting);
      terminal.stderr.write(`${path}\n${describeDetails(accounting)}`);
    } catch (error) {
      if (!(error instanceof ImportRefusedError)) throw error;
      amiss.push({ file: path, message: error.message });
      terminal.stderr.write(`${error.message}\n`);
    }
  }
  if (amiss.length === 0) return true;
  if (terminal.json) terminal.stdout.write(`${JSON.stringify({ imported: [], amiss }, null, 2)}\n`);
  terminal.stderr.write("--strict: nothing was imported. Mend the files, or leave --strict out.\n");
  return false;
}

function usable(source: string): string {
  try {
    return checkedSource(source);
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

async function loadRules(path: string): Promise<Rules> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new CommandError(`The rules file ${path} cannot be read (${code}). Check the path given to --rules.`, {
      cause: error,
    });
  }
  try {
    return readRules(basename(path), bytes);
  } catch (error) {
    if (error instanceof RulesError) throw new CommandError(error.message, { cause: error });
    throw error;
  }
}
