/** Why an observation is not stored, as its sender reads it. */
import { errorCode } from "../database/errors.ts";
import type { Observation } from "./records.ts";

/** `kind` groups observations with the same fault. */
export interface Refused {
  readonly kind: string;
  readonly message: string;
}

export function tooOld(start: number, earliest: number): Refused {
  return {
    kind: "start time before the retention",
    message: `start time ${shown(start)} lies before ${shown(earliest)}, from where on spans are kept; raise MULLIGAN_RETENTION_DAYS, or import older ones from a file`,
  };
}

export function inFuture(time: number, latest: number): Refused {
  return {
    kind: "time in the future",
    message: `time ${shown(time)} lies after ${shown(latest)}, more than a day ahead; check the sender's clock`,
  };
}

/** Nanoseconds of 64 bits reach to the year 2554, and more than that is no time. */
function shown(time: number): string {
  return Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : "beyond any calendar";
}

/** Names the field, as far as it is a text that Postgres has no way to hold. */
export function cannotBeHeld({ record }: Observation, error: unknown): Refused {
  const field = Object.entries(record).find(([, value]) => holdsNoText(value))?.[0];
  if (field === undefined) {
    const kind = `a value that cannot be stored (SQLSTATE ${errorCode(error)})`;
    return {
      kind,
      message: `the span holds ${kind}; send numbers and texts within the ranges of the attribute contract`,
    };
  }
  return {
    kind: `${field} cannot be stored`,
    message: `${field}: holds the character U+0000 or half of a surrogate pair; send text without them, as UTF-8 can hold it`,
  };
}

function holdsNoText(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\0") || !value.isWellFormed();
  return typeof value === "object" && value !== null && Object.entries(value).flat().some(holdsNoText);
}
