import { spawn } from "node:child_process";
import { once } from "node:events";

/** Runs an agent's program in a process of its own, the way a user does. */
export function startAgent(program: string, environment: Record<string, string>, flags: readonly string[] = register) {
  const child = spawn(
    process.execPath,
    ["--conditions=@mulligan/source", ...flags, "--input-type=module", "--eval", program],
    {
      env: { PATH: process.env.PATH, MULLIGAN_SIGNING_KEY: "a-key-of-the-tests-long-enough", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, stdout, stderr }) as Ended);
  return {
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    said: (word: string) =>
      new Promise<void>((resolve) => {
        const look = () => stdout.includes(word) && resolve();
        child.stdout.on("data", look);
        look();
      }),
    ended,
  };
}

export interface Ended {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

const register = ["--import", "@mulligan/instrumentation/register"];

/** An agent's program that makes some calls. */
export const calls = (count: number) => `
  import { instrumentExecutor } from "@mulligan/instrumentation";
  const execute = instrumentExecutor((call) => call.name.length, { tools: { book: {} } });
  for (let count = 0; count < ${count}; count++) execute({ name: "book", arguments: "{}", id: "c" + count });
`;
