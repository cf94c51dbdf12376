import { diag } from "@opentelemetry/api";

const MOST_AREAS = 1_000;
const reported = new Set<string>();

/**
 * Tells the `diag` logger about a problem of ours, once per area and process. Only the kind of an error is named, never
 * its message: that may hold what the model wrote.
 */
export function reportOnce(area: string, message: string, error?: unknown): void {
  if (reported.has(area) || reported.size >= MOST_AREAS) return;
  reported.add(area);
  try {
    diag.warn(`mulligan: ${message}${error === undefined ? "" : ` (${kindOf(error)})`}`);
  } catch {
    // A logger that throws has nobody left to tell.
  }
}

/** Runs work of ours that must never disturb the host: a failure is reported once and the fallback is taken. */
export function guarded<T, U>(area: string, message: string, work: () => T, fallback: U): T | U {
  try {
    return work();
  } catch (error) {
    reportOnce(area, message, error);
    return fallback;
  }
}

function kindOf(error: unknown): string {
  try {
    const name = error instanceof Error ? error.constructor.name : typeof error;
    return /^[A-Za-z_$][\w$]{0,63}$/.test(name) ? name : "an error";
  } catch {
    return "an error";
  }
}
