/** One `psql` that stays open, as a person would use it: its own timing, one backend. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { CannotMeasure } from "../question.ts";

/** `psql 17.5`. @throws {CannotMeasure} where it is not installed. */
export function psqlVersion(): string {
  const { stdout, error } = spawnSync("psql", ["--version"], { encoding: "utf8" });
  if (error !== undefined) {
    throw new CannotMeasure(
      "psql is needed to compare with, and there is none on the PATH. Install PostgreSQL's client (Debian: postgresql-client).",
    );
  }
  return `psql ${/\d+(\.\d+)*/.exec(stdout)?.[0] ?? "of unknown version"}`;
}

export interface Psql {
  /** Runs one line and waits for it; how long psql says that it took, in milliseconds. @throws what psql says. */
  run(line: string): Promise<{ readonly milliseconds: number }>;
  end(): Promise<void>;
}

const DONE = "-- done --";

export function openPsql(databaseUrl: string): Psql {
  const child = spawn("psql", ["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", databaseUrl], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  child.stdin.on("error", () => {}); // it has ended; whoever waits for an answer hears why
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.stdin.write("\\timing on\n");
  return {
    async run(line) {
      child.stdin.write(`${line}\n\\echo '${DONE}'\n`);
      let milliseconds = Number.NaN;
      for (;;) {
        const { value, done } = await lines.next();
        if (done === true) throw new Error(`psql ended at ${JSON.stringify(line.slice(0, 80))}: ${errors.trim()}`);
        if (value === DONE) return { milliseconds };
        const time = /^Time: ([\d.]+) ms/.exec(value);
        if (time !== null) milliseconds = Number(time[1]);
      }
    },
    async end() {
      child.stdin.end("\\q\n");
      await exited;
    },
  };
}
