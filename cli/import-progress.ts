/** Where a long import stands: one line that is rewritten on a terminal, else a line every few seconds. */
import { formatCount, formatCountOf } from "../analytics/client/format.ts";
import type { ImportProgress } from "../collector/import.ts";
import type { Output } from "./command.ts";
import { escaped } from "./terminal.ts";

const TERMINAL_MILLISECONDS = 100;
const LOG_MILLISECONDS = 5000;
const CLEAR_LINE = "\r\u001b[K";

export function createImportProgress(stderr: Output, clock: () => Date) {
  const every = stderr.isTTY === true ? TERMINAL_MILLISECONDS : LOG_MILLISECONDS;
  let last = clock().getTime();
  let shown = false;
  return {
    report(file: string, { bytes, totalBytes, runs, calls }: ImportProgress): void {
      const now = clock().getTime();
      if (now - last < every) return;
      last = now;
      const read = `${megabytes(bytes)} of ${megabytes(totalBytes)} MB`;
      const text = `${escaped(file)}: ${read}, ${formatCountOf(runs, "run")}, ${formatCountOf(calls, "tool call")}`;
      if (stderr.isTTY !== true) {
        stderr.write(`${text}\n`);
        return;
      }
      stderr.write(`${CLEAR_LINE}${text.slice(0, (stderr.columns ?? 80) - 1)}`);
      shown = true;
    },
    /** Leaves the terminal's line empty for what comes next. */
    clear(): void {
      if (shown) stderr.write(CLEAR_LINE);
      shown = false;
    },
  };
}

function megabytes(bytes: number): string {
  return formatCount(Math.round(bytes / 1e5) / 10);
}
