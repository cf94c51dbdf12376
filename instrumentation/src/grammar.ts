/**
 * The shapes of what stands on our spans. The wrapper writes by them and the collector reads by them: a shape that only
 * one side knows is an attribute that is lost on the way. Pure.
 */

/** Control characters, line and paragraph separators, and halves of surrogate pairs, which UTF-8 cannot hold. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;
const ALL_UNPRINTABLE = new RegExp(UNPRINTABLE, "gu");

/** Greatest numbers that stand on a span; beyond them a number is a mistake of its sender. */
export const MOST_TURN = 99_999;
export const MOST_PLACE = 99_999;
export const MOST_LEG = 9_999;
export const MOST_TOOLS = 100_000;
export const MOST_UNDECLARED = 1_000_000;
/** 30 days. */
export const MOST_DURATION_MS = 2_592_000_000;

/** A name that a person gave: one line that is not blank. `most` counts UTF-16 units, here and below. */
export function isLabel(text: string, most: number): boolean {
  return text.length <= most && text.trim() !== "" && !UNPRINTABLE.test(text);
}

/** A text as a label: cut, on one line; undefined where it is blank. */
export function toLabel(text: string, most: number): string | undefined {
  const line = text.slice(0, most).toWellFormed().replace(ALL_UNPRINTABLE, " ");
  return line.trim() === "" ? undefined : line;
}

/** A label without white space. It names something inside the system: a sentence is content. */
export function isIdentifier(text: string, most: number): boolean {
  return isLabel(text, most) && !/\s/u.test(text);
}

/** A short text as an identifier: `v 1` becomes `v_1`. */
export function toIdentifier(text: string, most: number): string | undefined {
  return toLabel(text, most)?.trim().replace(/\s+/gu, "_");
}

/** A declared word: a rule, a budget, a finish reason. */
export const WORD = /^[A-Za-z][\w.-]{0,63}$/;

export const COHORT_KEY = /^[A-Za-z0-9][\w.-]{0,63}$/;
export const MOST_COHORT_KEYS = 16;

/** FINGERPRINTS.md: class word, path over the declared schema, category. A declared name may hold spaces and colons. */
export const FINGERPRINT = /^[a-z_]{1,32}:[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}]{1,128}:[a-z0-9_]{1,64}$/u;

/** SIGNATURES.md: an argument's declared name, or `*`, and 16 hex digits. */
export const ARGUMENT_DIGEST = /^[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}]{1,128}=[0-9a-f]{16}$/u;

/** Longest name of an argument in a digest, longest path in a fingerprint. */
export const MOST_PATH_CHARACTERS = 128;

/** Whether a declared argument's name can stand on a span as it is; another one stands as `*`. */
export function isShowable(name: string): boolean {
  return name !== "" && !UNPRINTABLE.test(name);
}

/** A declared word in the alphabet of a fingerprint's category: `Max-Refund` becomes `max_refund`. */
export function toCategory(word: string): string {
  return word
    .toLowerCase()
    .replace(/[^a-z0-9_]/g, "_")
    .slice(0, 64);
}
