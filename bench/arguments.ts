/** The words after `npm run bench --`. */
import { parseArgs } from "node:util";
import type { Question } from "./question.ts";

export interface BenchArguments {
  readonly questions: readonly Question[];
  readonly calls: number | undefined;
  readonly rounds: number | undefined;
  readonly json: boolean;
  readonly help: boolean;
}

/** The message says what came and what to write instead. */
export class UsageError extends Error {
  override name = "UsageError";
}

const MOST_CALLS = 10_000_000;
const MOST_ROUNDS = 1_000;

/** @throws {UsageError} */
export function readArguments(args: readonly string[], all: readonly Question[]): BenchArguments {
  const { values, positionals } = parse(args);
  const unknown = positionals.find((name) => !all.some((question) => question.name === name));
  if (unknown !== undefined) {
    const names = all.map(({ name }) => name).join(" or ");
    throw new UsageError(
      `${JSON.stringify(unknown)} is no question of the benchmark; write ${names}, or nothing for all.`,
    );
  }
  return {
    questions: positionals.length === 0 ? all : all.filter(({ name }) => positionals.includes(name)),
    calls: count("--calls", values.calls, MOST_CALLS),
    rounds: count("--rounds", values.rounds, MOST_ROUNDS),
    json: values.json === true,
    help: values.help === true,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        calls: { type: "string" },
        rounds: { type: "string" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
      allowPositionals: true,
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function count(option: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= 1 && value <= most) return value;
  throw new UsageError(`${option} is ${JSON.stringify(text)}; write a whole number from 1 to ${most}: ${option} 1000.`);
}

export function helpText(all: readonly Question[]): string {
  const widest = Math.max(...all.map(({ name }) => name.length));
  return [
    "Measures Mulligan beside what it is to be compared with, on this machine, in the same run.",
    "",
    "Usage: npm run bench [-- QUESTION... OPTIONS]",
    "",
    "Questions (all, where none is named):",
    ...all.map(({ name, summary }) => `  ${name.padEnd(widest)}  ${summary}`),
    "",
    "Options:",
    `  --calls N   Tool calls to measure with. Full size: ${all.map(({ name, fullCalls }) => `${name} ${fullCalls.toLocaleString("en-US")}`).join(", ")}.`,
    `  --rounds N  How often everything is measured. Full size: ${all.map(({ name, fullRounds }) => `${name} ${fullRounds}`).join(", ")}.`,
    "  --json      Print the numbers as JSON on standard output, nothing else.",
    "  -h, --help  Print this help.",
    "",
    "MULLIGAN_BENCH_DATABASE_URL names a Postgres server on which a database may be created; it is dropped at the end.",
    "Default: postgres://postgres@127.0.0.1:5432/postgres. A run of full size writes its section of bench/RESULTS.md.",
    "",
    "Exit codes: 0 measured, 1 it failed or a promise was not kept, 2 called wrongly, 3 skipped: something is missing here.",
    "",
    "Examples:",
    "  npm run bench                                        everything at full size",
    "  npm run bench -- answers --calls 100000 --rounds 3   the answers at a tenth of the size",
    "  npm run -s bench -- ingest --json                    numbers for a program",
    "",
  ].join("\n");
}
