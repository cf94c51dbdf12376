import { ApiError } from "../analytics/client/client.ts";
import { nearest } from "../analytics/questions/nearest.ts";
import { QuestionError } from "../analytics/questions/question-error.ts";
import type { Config } from "../config.ts";
import { parseArguments } from "./arguments.ts";
import { type Command, CommandError, type ExitCode, type Output, UsageError } from "./command.ts";
import { commandHelp, generalHelp } from "./help.ts";
import { asFlags } from "./scope-options.ts";
import { openDatabase, openSource } from "./source.ts";
import { escaped } from "./terminal.ts";

export interface Invocation {
  /** What stands after `mulligan`. */
  readonly args: readonly string[];
  readonly commands: readonly Command[];
  readonly config: Config;
  readonly clock: () => Date;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly signal: AbortSignal;
}

/** Runs one command line. It never throws what a person can mend: that is printed on standard error. */
export async function invoke(invocation: Invocation): Promise<ExitCode> {
  const { args, commands, stdout, stderr } = invocation;
  const [first, ...rest] = args;
  if (first === undefined || first === "--help" || first === "-h" || (first === "help" && rest.length === 0)) {
    stdout.write(generalHelp(commands));
    return 0;
  }
  const name = first === "help" ? rest[0]! : first;
  const command = commands.find((known) => known.name === name);
  if (command === undefined) {
    const close = nearest(
      name,
      commands.map((known) => known.name),
    );
    const meant = close === undefined ? "" : ` Did you mean ${close}?`;
    stderr.write(`mulligan: ${JSON.stringify(name)} is no command.${meant}\nTry: mulligan --help\n`);
    return 2;
  }
  try {
    return await run(command, first === "help" ? ["--help"] : rest, invocation);
  } catch (error) {
    return explain(error, command, stderr);
  }
}

async function run(command: Command, args: readonly string[], invocation: Invocation): Promise<ExitCode> {
  const { values, positionals } = parseArguments(command, args);
  if (values.help) {
    invocation.stdout.write(commandHelp(command));
    return 0;
  }
  const config = located(invocation.config, values["data-dir"]);
  const where = { config, clock: invocation.clock };
  return command.run({
    values,
    positionals,
    stdout: invocation.stdout,
    stderr: invocation.stderr,
    signal: invocation.signal,
    ...where,
    open: () => openSource(where),
    openDatabase: () => openDatabase(where),
  });
}

/** A folder that was named on the command line wins over the environment, DATABASE_URL too. */
function located(config: Config, dataDir: string | undefined): Config {
  if (dataDir === undefined) return config;
  const { databaseUrl: _, ...embedded } = config;
  return { ...embedded, dataDir, dataDirGiven: true };
}

/** Prints what a person can mend and says how it ends; anything else is a fault of ours and is thrown on. */
function explain(error: unknown, command: Command, stderr: Output): ExitCode {
  if (
    error instanceof UsageError ||
    error instanceof QuestionError ||
    (error instanceof ApiError && error.status === 400)
  ) {
    stderr.write(
      `mulligan ${command.name}: ${escaped(asFlags(error.message), "\n")}\nTry: mulligan ${command.name} --help\n`,
    );
    return 2;
  }
  if (error instanceof CommandError || error instanceof ApiError) {
    stderr.write(`mulligan ${command.name}: ${escaped(error.message, "\n")}\n`);
    return 1;
  }
  throw error;
}
