#!/usr/bin/env node
/** The command line: `mulligan COMMAND`. */
import { COMMANDS } from "./cli/commands.ts";
import { invoke } from "./cli/invoke.ts";
import { ConfigError, readConfig } from "./config.ts";

const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    // A person who asks twice does not want to wait for a clean end.
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort();
  });
}
// `mulligan funnel | head` closes the pipe early; that is no fault.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));

try {
  const config = readConfig();
  if (config.underNpm) endWithNpm();
  process.exitCode = await invoke({
    args: process.argv.slice(2),
    commands: COMMANDS,
    config,
    clock: () => new Date(),
    stdout: process.stdout,
    stderr: process.stderr,
    signal: stopping.signal,
  });
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(`mulligan: ${error.message}`);
  process.exitCode = 2;
}

/** SIGTERM to `npm run` ends npm and leaves its child running, with the port and the data folder. */
function endWithNpm(): void {
  const npm = process.ppid;
  setInterval(() => {
    if (process.ppid !== npm) stopping.abort();
  }, 500).unref();
}
