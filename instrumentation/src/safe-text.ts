import { reportOnce } from "./guard.ts";
import type { SigningKey } from "./hmac.ts";
import { keyedDigest } from "./signature.ts";

const MOST_ID_CHARACTERS = 128;

/**
 * An id that may stand on a span. One that is longer than 128 characters or has white space in it is no id but content,
 * and is replaced by a keyed digest (16 hex digits), the same in every process with that key.
 */
export function safeId(key: SigningKey, id: string): string {
  return id.length > MOST_ID_CHARACTERS || /\s/.test(id) ? keyedDigest(key, "unit", id) : id;
}

/** A short word of the developer's (a rule, a budget, a finish reason); anything else is told once and left out. */
export function safeWord(what: string, word: unknown): string | undefined {
  if (word === undefined || word === null) return undefined;
  if (typeof word === "string" && /^[A-Za-z][\w.-]{0,63}$/.test(word)) return word;
  reportOnce(
    `word:${what}`,
    `${what} must be a word of letters, digits, "_", "-" and "." with at most 64 characters, such as "max_tokens"; it is left out`,
  );
  return undefined;
}

/** A label of the developer's (agent, model, version): text without control characters, at most 128 characters. */
export function safeLabel(label: unknown): string | undefined {
  if (typeof label !== "string" || label === "") return undefined;
  return label
    .replace(/\p{Cc}/gu, " ")
    .slice(0, MOST_ID_CHARACTERS)
    .toWellFormed();
}

/** A count of tokens or tools: a whole number from 0; anything else is told once and left out, never 0. */
export function safeCount(what: string, count: unknown): number | undefined {
  if (count === undefined || count === null) return undefined;
  if (Number.isSafeInteger(count) && (count as number) >= 0) return count as number;
  reportOnce(`count:${what}`, `${what} must be a whole number from 0, such as 6500; it is left out`);
  return undefined;
}
