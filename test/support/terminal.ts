/** Runs command lines in this process, with what they print kept. */
import { COMMANDS } from "../../cli/commands.ts";
import { invoke } from "../../cli/invoke.ts";
import { readConfig } from "../../config.ts";
import { clock } from "./rows.ts";

export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A terminal of `columns` characters, or, without, a pipe. `env` is all that the configuration sees. */
export async function mulligan(
  args: readonly string[],
  { columns, env = {} }: { readonly columns?: number; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Printed> {
  const printed = { stdout: "", stderr: "" };
  const output = (name: keyof typeof printed) => ({
    write: (text: string) => {
      printed[name] += text;
    },
    ...(columns === undefined ? {} : { isTTY: true, columns }),
  });
  const code = await invoke({
    args,
    commands: COMMANDS,
    config: readConfig(env),
    clock,
    stdout: output("stdout"),
    stderr: output("stderr"),
    signal: new AbortController().signal,
  });
  return { code, ...printed };
}
