import type { Config } from "../config.ts";
import type { Output } from "./command.ts";
import { escaped, type Terminal, terminalOf } from "./terminal.ts";

interface Printing {
  readonly values: { readonly json?: unknown };
  readonly stdout: Output;
  readonly config: Pick<Config, "colour">;
}

/** Prints an answer as JSON or as `draw` draws it. Whatever was stored reaches a terminal through here, escaped. */
export function printAnswer<Answer>(
  answer: Answer,
  { values, stdout, config }: Printing,
  draw: (answer: Answer, terminal: Terminal) => string,
): void {
  // In JSON only strings hold such characters, and there the escape means the same character.
  const text = values.json
    ? `${escaped(JSON.stringify(answer, null, 2), "\n")}\n`
    : draw(printable(answer) as Answer, terminalOf(stdout, config));
  stdout.write(text);
}

/** The same answer with every string in it escaped, names of fields too: some are names of tools. */
function printable(value: unknown): unknown {
  if (typeof value === "string") return escaped(value);
  if (Array.isArray(value)) return value.map(printable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [escaped(name), printable(field)]));
}
