/** What a command of the terminal is. One file a command; `cli/commands.ts` lists them, `main.ts` runs them. */
import type { Config } from "../config.ts";
import type { Connection } from "../database/connect.ts";
import type { Source } from "./source.ts";

/** An option of a command: `--name VALUE`, or `--name` alone where `type` is `boolean`. */
export interface Option {
  readonly type: "string" | "boolean";
  /** One line of the help. */
  readonly description: string;
  /** What stands for the value in the help, such as `FILE`; strings only. */
  readonly placeholder?: string;
  /** May be given several times; the value is then a list. */
  readonly multiple?: true;
}

export type Options = Readonly<Record<string, Option>>;

/** The values of options, typed by their declaration: absent strings are undefined, absent booleans false, lists empty. */
export type Values<O extends Options> = {
  readonly [Name in keyof O]: O[Name]["type"] extends "boolean"
    ? boolean
    : O[Name]["multiple"] extends true
      ? readonly string[]
      : string | undefined;
};

/** Options that every command has; a command does not declare them. */
export const COMMON_OPTIONS = {
  json: { type: "boolean", description: "Print JSON on standard output, nothing else." },
  "data-dir": {
    type: "string",
    placeholder: "DIR",
    description: "Folder of the embedded database; wins over DATABASE_URL and MULLIGAN_DATA_DIR.",
  },
  help: { type: "boolean", description: "Print this help." },
} as const satisfies Options;

/** Where text goes: `process.stdout` and `process.stderr`, or a list of strings in a test. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

export interface CommandContext<O extends Options = Options> {
  readonly values: Values<O> & Values<typeof COMMON_OPTIONS>;
  readonly positionals: readonly string[];
  readonly stdout: Output;
  readonly stderr: Output;
  /** The parsed configuration, `--data-dir` applied: no command reads the environment. */
  readonly config: Config;
  readonly clock: () => Date;
  /** Aborted by the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /**
   * Opens what answers questions: DATABASE_URL, else the live server that holds the data folder, else the embedded
   * database. The caller closes it.
   */
  open(): Promise<Source>;
  /**
   * Opens the migrated database itself, for commands that write.
   * Throws a `CommandError` that names the live server where one holds the data folder.
   */
  openDatabase(): Promise<Connection>;
}

/** 0: done. 1: it failed, or its answer is a failure. 2: it was called wrongly. */
export type ExitCode = 0 | 1 | 2;

export interface Example {
  readonly command: string;
  readonly shows: string;
}

export interface Command<O extends Options = Options> {
  readonly name: string;
  /** One line, as `mulligan --help` lists it. */
  readonly summary: string;
  /** What stands after the name in the usage line, such as `PATH...`; absent: no positional is taken. */
  readonly positionals?: string;
  /** Further lines of the help: what is not obvious from the options. */
  readonly details?: string;
  readonly options: O;
  readonly examples: readonly Example[];
  run(context: CommandContext<O>): Promise<ExitCode>;
}

/** Keeps the types of a command's options for its `run`, and gives the form that the registry holds. */
export function defineCommand<const O extends Options>(command: Command<O>): Command {
  return command;
}

/** It cannot be done, and a person can mend it: the message is printed without a stack trace, exit code 1. */
export class CommandError extends Error {
  override name = "CommandError";
}

/** It was called wrongly: the message is printed with a hint at `--help`, exit code 2. */
export class UsageError extends Error {
  override name = "UsageError";
}
