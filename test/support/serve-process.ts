/** `mulligan serve` in a process of its own, which a test may kill. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface ServeProcess {
  readonly url: string;
  readonly process: ChildProcess;
  /** What it has written so far, on both streams. */
  output(): string;
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>;
  /** A signal, and waits for the exit code (null where the signal ended it). */
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));

/** Starts it on a free port and waits until it says where it listens. */
export async function startServe(env: Readonly<Record<string, string>>): Promise<ServeProcess> {
  const child = spawn(process.execPath, ["--conditions=@mulligan/source", MAIN, "serve", "--json"], {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", MULLIGAN_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const exited = once(child, "exit");
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      output += `${line}\n`;
      resolve((JSON.parse(line) as { url: string }).url);
    });
    child.once("exit", (code) => reject(new Error(`mulligan serve ended with ${code}: ${output}`)));
  });
  return {
    url,
    process: child,
    output: () => output,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    async stop(signal) {
      child.kill(signal);
      const [code] = await exited;
      return code as number | null;
    },
  };
}
