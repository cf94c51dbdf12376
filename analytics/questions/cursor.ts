import { QuestionError, shown } from "./question-error.ts";

/** Where a list goes on: the place of the last row that was sent. Times are text with microseconds, as Postgres has them. */
export type Place = readonly (string | number)[];

/** A place as opaque text that a URL takes as it stands. */
export function cursorOf(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;

/**
 * The place that a cursor names: a time, an id, and `numbers` whole numbers.
 *
 * Throws a QuestionError where it is no cursor of this list: another list's, cut, or made up.
 */
export function placeOf(cursor: string, numbers: number): Place {
  const place = parsed(cursor);
  const [time, id, ...rest] = Array.isArray(place) ? place : [];
  const whole =
    typeof time === "string" &&
    TIME.test(time) &&
    !Number.isNaN(Date.parse(time)) &&
    typeof id === "string" &&
    !id.includes("\0") &&
    rest.length === numbers &&
    rest.every((number) => Number.isInteger(number) && Math.abs(number) < 2 ** 31);
  if (whole) return [time, id, ...rest];
  throw new QuestionError(
    "before",
    `before is ${shown(cursor)}, which is no place in this list: send the value of next from the answer before, or leave before out for the first rows.`,
  );
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}
