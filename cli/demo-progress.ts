/** Where the demo's beginning stands: a bar that is rewritten on a terminal, else a line every few seconds. */
import { formatCount, formatCountOf } from "../analytics/client/format.ts";
import type { Output } from "./command.ts";
import { bar } from "./terminal.ts";

const TERMINAL_MILLISECONDS = 100;
const LOG_MILLISECONDS = 5_000;
const CLEAR_LINE = "\r\u001b[K";
const BAR = 24;

export interface DemoProgress {
  /** Runs that are over, of all; spans that are stored. */
  ran(done: number, runs: number, spans: number): void;
  /** Runs that wait to be assembled or linked, of all. */
  waits(waiting: number, runs: number): void;
  /** Leaves the terminal's line empty for what comes next. */
  clear(): void;
}

/** @param now milliseconds of any clock that runs on */
export function createDemoProgress(stderr: Output, now: () => number): DemoProgress {
  const isTerminal = stderr.isTTY === true;
  const every = isTerminal ? TERMINAL_MILLISECONDS : LOG_MILLISECONDS;
  let last = now();
  let shown = false;
  function show(done: number, of: number, text: string): void {
    const time = now();
    if (time - last < every) return;
    last = time;
    if (!isTerminal) {
      stderr.write(`${text}\n`);
      return;
    }
    const line = `${bar(done, of, BAR).padEnd(BAR)} ${text}`;
    stderr.write(`${CLEAR_LINE}${line.slice(0, (stderr.columns ?? 80) - 1)}`);
    shown = true;
  }
  return {
    ran(done, runs, spans) {
      show(done, runs, `${formatCount(done)} of ${formatCountOf(runs, "run")}, ${formatCountOf(spans, "span")} stored`);
    },
    waits(waiting, runs) {
      const done = Math.max(0, runs - waiting);
      show(done, runs, `${formatCountOf(waiting, "run waits", "runs wait")} to be assembled and linked`);
    },
    clear() {
      if (shown) stderr.write(CLEAR_LINE);
      shown = false;
    },
  };
}
