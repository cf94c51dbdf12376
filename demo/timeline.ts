/** Time as a run sees it: invented for runs of the past, real for those that run now. */

export interface Timeline {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves when so many milliseconds have gone by on this timeline. */
  sleep(milliseconds: number): Promise<void>;
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/**
 * Time that passes only while everything in the run sleeps, and then at once. Calls that run at the same time wake in the
 * order of their ends, as they would in real time.
 */
export function inventedTime(start: number): Timeline {
  let now = start;
  let sleepers: Sleeper[] = [];
  const wakeNext = () => {
    const [first, ...rest] = sleepers;
    sleepers = rest;
    if (first === undefined) return;
    now = Math.max(now, first.at);
    first.wake();
    if (rest.length > 0) setImmediate(wakeNext);
    else awaited = false;
  };
  let awaited = false;
  return {
    now: () => now,
    sleep: (milliseconds) =>
      new Promise((wake) => {
        const at = now + milliseconds;
        const later = sleepers.findIndex((sleeper) => sleeper.at > at);
        sleepers.splice(later < 0 ? sleepers.length : later, 0, { at, wake });
        // By then every task that was woken has done what it can, and sleeps again or has ended.
        if (!awaited) setImmediate(wakeNext);
        awaited = true;
      }),
  };
}

/** Real time by the given clock. When the signal aborts, whoever sleeps wakes: nobody is kept waiting by a demo. */
export function realTime(clock: () => Date, signal: AbortSignal): Timeline {
  return {
    now: () => clock().getTime(),
    sleep: (milliseconds) =>
      new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", wake);
          resolve();
        };
        const timer = setTimeout(wake, signal.aborted ? 0 : milliseconds);
        signal.addEventListener("abort", wake);
      }),
  };
}
