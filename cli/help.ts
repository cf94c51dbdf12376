import { COMMON_OPTIONS, type Command, type Options } from "./command.ts";

const WIDTH = 96;

/** `mulligan --help`: the commands, one line each. */
export function generalHelp(commands: readonly Command[]): string {
  return [
    "Mulligan measures whether the error text of a tool repairs the model's next call.",
    "",
    "Usage: mulligan COMMAND [OPTIONS]",
    "",
    "Commands:",
    ...table(commands.map(({ name, summary }) => [name, summary])),
    "",
    "mulligan COMMAND --help shows a command's options with examples.",
    "",
  ].join("\n");
}

/** `mulligan COMMAND --help`. */
export function commandHelp(command: Command): string {
  return [
    command.summary,
    "",
    `Usage: mulligan ${command.name} [OPTIONS]${command.positionals === undefined ? "" : ` ${command.positionals}`}`,
    ...(command.details === undefined ? [] : ["", ...wrapped(command.details, WIDTH)]),
    "",
    "Options:",
    ...table(optionRows({ ...command.options, ...COMMON_OPTIONS })),
    "",
    "Examples:",
    ...command.examples.flatMap(({ command: line, shows }) => [`  ${line}`, `      ${shows}`]),
    "",
  ].join("\n");
}

function optionRows(options: Options): [string, string][] {
  return Object.entries(options).map(([name, { type, placeholder, description, multiple }]) => [
    `${name === "help" ? "-h, " : ""}--${name}${type === "string" ? ` ${placeholder ?? "VALUE"}` : ""}`,
    multiple ? `${description} May be repeated.` : description,
  ]);
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const left = Math.max(...rows.map(([name]) => name.length)) + 4;
  return rows.flatMap(([name, text]) => {
    const [first = "", ...rest] = wrapped(text, WIDTH - left);
    return [`  ${name.padEnd(left - 2)}${first}`, ...rest.map((line) => `${" ".repeat(left)}${line}`)];
  });
}

/** Lines of at most `width` characters, broken at ` · `, and between words only where one item is longer than a line. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const item of text.split(" · ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + item.length + 3 <= width) lines[lines.length - 1] = `${last} · ${item}`;
    else lines.push(...betweenWords(item, width));
  }
  return lines;
}

function betweenWords(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length + 1 <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
