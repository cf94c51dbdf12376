/** Where a long verification stands: one line that is rewritten on a terminal, else a line every few seconds. */
import { formatCount, formatCountOf } from "../analytics/client/format.ts";
import type { Progress } from "../verification/verify.ts";
import type { Output } from "./command.ts";

const TERMINAL_MILLISECONDS = 100;
const LOG_MILLISECONDS = 5_000;
const CLEAR_LINE = "\r\u001b[K";

export function createVerifyProgress(stderr: Output, clock: () => Date) {
  const every = stderr.isTTY === true ? TERMINAL_MILLISECONDS : LOG_MILLISECONDS;
  let last = clock().getTime();
  let shown = false;
  return {
    report({ day, daysDone, days, runs, differences }: Progress): void {
      const now = clock().getTime();
      if (now - last < every) return;
      last = now;
      const found = differences === 0 ? "no difference so far" : formatCountOf(differences, "difference");
      const text = `${day}, day ${formatCount(daysDone + 1)} of ${formatCount(days)}: ${formatCountOf(runs, "run")}, ${found}`;
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
