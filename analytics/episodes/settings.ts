import type { LinkSettings } from "./types.ts";

/** Settings that linking cannot work with. The message names the field, what came and what to send. */
export class LinkSettingsError extends Error {
  override readonly name = "LinkSettingsError";
}

/**
 * Refuses settings that METRICS.md does not allow: `W` and `E` are whole turns, at least 1, and `E` ≤ `W`, for an
 * episode whose window has closed can no longer be repaired.
 *
 * @throws {LinkSettingsError}
 */
export function checkSettings(settings: LinkSettings): void {
  const { linkWindow, eventualWindow, settleAfterSeconds, turnBasis } = settings;
  wholeNumber("linkWindow", "W, in model turns", linkWindow, 1);
  wholeNumber("eventualWindow", "E, in model turns", eventualWindow, 1);
  wholeNumber("settleAfterSeconds", "in seconds", settleAfterSeconds, 0);
  if (turnBasis !== "model" && turnBasis !== "tool_calling") {
    throw new LinkSettingsError('turnBasis must be "model" (every model turn) or "tool_calling" (turns with a call).');
  }
  if (eventualWindow > linkWindow) {
    throw new LinkSettingsError(
      `eventualWindow (E) is ${eventualWindow} and linkWindow (W) is ${linkWindow}, but E must be at most W: ` +
        `no call is linked later than W turns after the last attempt. Lower E to ${linkWindow}, or raise W to ${eventualWindow}.`,
    );
  }
}

function wholeNumber(name: string, unit: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new LinkSettingsError(
    `${name} (${unit}) must be a whole number of at least ${least}, for example 2; got ${value}.`,
  );
}
