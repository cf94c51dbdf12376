import { isIdentifier, toIdentifier, toLabel, WORD } from "./grammar.ts";
import { reportOnce } from "./guard.ts";
import type { SigningKey } from "./hmac.ts";
import { keyedDigest } from "./signature.ts";

const MOST_CHARACTERS = 128;

/** What plain JavaScript hands over as a text: numbers and truth values too. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "bigint" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

/** An id as text: a number is written out; undefined where there is none. */
export function idText(id: unknown): string | undefined {
  return textOf(id) || undefined;
}

/**
 * An id that may stand on a span. One that is longer than 128 characters or has white space or control characters in it
 * is no id but content, and is replaced by a keyed digest (16 hex digits), the same in every process with that key.
 *
 * @returns undefined where there is no id
 */
export function safeId(key: SigningKey, id: unknown): string | undefined {
  const text = idText(id);
  return text === undefined || isIdentifier(text, MOST_CHARACTERS) ? text : keyedDigest(key, "unit", text);
}

/** A short word of the developer's (a rule, a budget, a finish reason); anything else is told once and left out. */
export function safeWord(what: string, word: unknown): string | undefined {
  if (word === undefined || word === null) return undefined;
  if (typeof word === "string" && WORD.test(word)) return word;
  reportOnce(
    `word:${what}`,
    `${what} must be a word of letters, digits, "_", "-" and "." with at most 64 characters, such as "max_tokens"; it is left out`,
  );
  return undefined;
}

/** A label of the developer's (agent, model, tool): text on one line, at most 128 characters. */
export function safeLabel(label: unknown): string | undefined {
  const text = textOf(label);
  return text === undefined ? undefined : toLabel(text, MOST_CHARACTERS);
}

/** A version of the developer's: a label whose white space is written `_`. */
export function safeVersion(version: unknown): string | undefined {
  const text = textOf(version);
  return text === undefined ? undefined : toIdentifier(text, MOST_CHARACTERS);
}

/** A whole number from 0; anything else is told once and left out, never 0. */
export function safeCount(what: string, count: unknown, most = Number.MAX_SAFE_INTEGER): number | undefined {
  if (count === undefined || count === null) return undefined;
  if (Number.isSafeInteger(count) && (count as number) >= 0 && (count as number) <= most) return count as number;
  const range = most === Number.MAX_SAFE_INTEGER ? "from 0" : `from 0 to ${most}`;
  reportOnce(`count:${what}`, `${what} must be a whole number ${range}; it is left out`);
  return undefined;
}
