import { randomUUID } from "node:crypto";

/** A wrapped executor that is silent for so long begins another run. */
const SILENCE_MS = 5 * 60 * 1000;
const MOST_CALLS = 500;

/**
 * The run of calls that stand outside of every run and every span: without it each call would be a trace, and so a run,
 * of its own. It fits a script with one conversation; a server calls `startRun`. Takes the time in ms.
 */
export function createImplicitRun(): (now: number) => { id: string; sequence: number } {
  let id = "";
  let sequence = MOST_CALLS;
  let latest = 0;
  return (now) => {
    if (sequence >= MOST_CALLS || now - latest > SILENCE_MS) {
      id = randomUUID();
      sequence = 0;
    }
    latest = now;
    return { id, sequence: sequence++ };
  };
}
