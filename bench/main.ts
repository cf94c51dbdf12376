/** `npm run bench`: asks the questions, prints what came out, and keeps it in `RESULTS.md`. */
import { readFile, writeFile } from "node:fs/promises";
import { answers } from "./answers.ts";
import { type BenchArguments, helpText, readArguments, UsageError } from "./arguments.ts";
import { type Environment, watchEnvironment } from "./environment.ts";
import { ingest } from "./ingest.ts";
import { CannotMeasure, type Question, type Result } from "./question.ts";
import { section, withSection } from "./report.ts";

const QUESTIONS: readonly Question[] = [ingest, answers];
const RESULTS = new URL("RESULTS.md", import.meta.url);
const DEFAULT_SERVER = "postgres://postgres@127.0.0.1:5432/postgres";

const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    // A person who asks twice does not want to wait until the database is dropped.
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort();
  });
}

const out = (text: string) => process.stdout.write(text);
const err = (text: string) => process.stderr.write(text);

async function main(): Promise<number> {
  const given = readArguments(process.argv.slice(2), QUESTIONS);
  if (given.help) {
    out(helpText(QUESTIONS));
    return 0;
  }
  let exitCode = 0;
  const numbers: Record<string, unknown> = {};
  for (const question of given.questions) {
    const outcome = await measure(question, given);
    if (outcome === null) {
      exitCode ||= 3;
      continue;
    }
    const { result, environment } = outcome;
    if (result.promises.some(({ kept }) => !kept)) exitCode = 1;
    numbers[question.name] = { environment, ...result.numbers };
    const text = section(question, result, environment);
    if (!given.json) out(`${text}\n\n`);
    await keep(question, given, text);
  }
  if (given.json) out(`${JSON.stringify(numbers, null, 2)}\n`);
  return exitCode;
}

/** Null where the question cannot be measured here; it has been said why. */
async function measure(
  question: Question,
  { calls = question.fullCalls, rounds = question.fullRounds }: BenchArguments,
): Promise<{ readonly result: Result; readonly environment: Environment } | null> {
  const environment = watchEnvironment();
  const say = (line: string) => void err(`${question.name}: ${line}\n`);
  const databaseUrl = process.env.MULLIGAN_BENCH_DATABASE_URL ?? DEFAULT_SERVER;
  try {
    const result = await question.ask({ calls, rounds, databaseUrl, say, signal: stopping.signal });
    return { result, environment: environment() };
  } catch (error) {
    if (!(error instanceof CannotMeasure)) throw error;
    say(`skipped. ${error.message}`);
    return null;
  }
}

async function keep(question: Question, given: BenchArguments, text: string): Promise<void> {
  const { calls = question.fullCalls, rounds = question.fullRounds } = given;
  if (calls < question.fullCalls || rounds < question.fullRounds) {
    err(`${question.name}: smaller than full size, so bench/RESULTS.md is left as it is.\n`);
    return;
  }
  const present = await readFile(RESULTS, "utf8").catch(() => "");
  await writeFile(RESULTS, withSection(present, QUESTIONS, question, text));
}

try {
  process.exitCode = await main();
} catch (error) {
  if (stopping.signal.aborted) err("bench: stopped; what was created has been dropped.\n");
  else if (error instanceof UsageError) err(`bench: ${error.message} See npm run bench -- --help\n`);
  else err(`bench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = stopping.signal.aborted ? 130 : error instanceof UsageError ? 2 : 1;
}
