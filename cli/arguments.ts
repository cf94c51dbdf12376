import { parseArgs } from "node:util";
import { nearest } from "../analytics/questions/nearest.ts";
import { COMMON_OPTIONS, type Command, type Options, UsageError, type Values } from "./command.ts";

export interface ParsedArguments {
  readonly values: Values<Options> & Values<typeof COMMON_OPTIONS>;
  readonly positionals: readonly string[];
}

/**
 * Reads what stands after a command's name.
 *
 * Throws a UsageError for an unknown option (with the nearest known one), a missing value, a value where none is taken,
 * and a positional where none is taken.
 */
export function parseArguments(command: Command, args: readonly string[]): ParsedArguments {
  const options: Options = { ...COMMON_OPTIONS, ...command.options };
  const declared = Object.fromEntries(
    Object.entries(options).map(([name, { type, multiple }]) => [
      name,
      { type, ...(multiple ? { multiple } : {}), ...(name === "help" ? { short: "h" } : {}) },
    ]),
  );
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: declared,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === "option") checkOption(options, token);
  }
  if (positionals.length > 0 && command.positionals === undefined) {
    throw new UsageError(`${command.name} takes options only, got ${JSON.stringify(positionals[0])}.`);
  }
  return {
    values: Object.fromEntries(
      Object.entries(options).map(([name, { type, multiple }]) => {
        const value = values[name];
        if (type === "boolean") return [name, value === true];
        return [name, multiple ? (value ?? []) : value];
      }),
    ) as ParsedArguments["values"],
    positionals,
  };
}

function checkOption(
  options: Options,
  token: {
    readonly name: string;
    readonly rawName: string;
    readonly value?: string | undefined;
    readonly inlineValue?: boolean | undefined;
  },
): void {
  const option = options[token.name];
  if (option === undefined) {
    const close = nearest(token.name, Object.keys(options));
    throw new UsageError(`${token.rawName} is no option.${close === undefined ? "" : ` Did you mean --${close}?`}`);
  }
  if (option.type === "boolean" && token.value !== undefined) {
    throw new UsageError(`${token.rawName} takes no value, got ${JSON.stringify(token.value)}.`);
  }
  const missing = token.value === undefined || (!token.inlineValue && token.value.startsWith("--"));
  if (option.type === "string" && missing) {
    throw new UsageError(`${token.rawName} needs a value: ${token.rawName} ${option.placeholder ?? "VALUE"}.`);
  }
}
