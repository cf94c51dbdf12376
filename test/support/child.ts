/** A script of the tests in a process of its own, for what only another process can show. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Child {
  readonly process: ChildProcess;
  /** Its standard output, line by line, as it comes. */
  readonly lines: AsyncIterableIterator<string>;
  /** Its exit code, or the signal that ended it, once it has ended. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Everything that it wrote to standard error. */
  errors(): string;
}

/** Starts a TypeScript file with these arguments; the caller sees to it that it ends. */
export function startChild(script: URL, ...args: string[]): Child {
  const child = spawn(process.execPath, ["--conditions=@mulligan/source", fileURLToPath(script), ...args], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, "close").then(([code, signal]: (number | NodeJS.Signals | null)[]) => signal ?? code ?? -1);
  return { process: child, lines, ended: ended as Promise<number | NodeJS.Signals>, errors: () => errors };
}
