/**
 * Signatures and digests, exactly as SIGNATURES.md has them: the same in every language and process. Only keyed digests
 * leave the process, so that short arguments cannot be guessed back.
 */
import type { Members } from "./canonical/object.ts";
import { readCanonical } from "./canonical/read.ts";
import { writeCanonical } from "./canonical/write.ts";
import type { SigningKey } from "./hmac.ts";

export { SigningKey } from "./hmac.ts";

/** What the model wrote as arguments of one call, in the form that is signed. */
export interface CanonicalArguments {
  /** `object`: a JSON object. `value`: JSON, but no object. `text`: no JSON. */
  readonly form: "object" | "value" | "text";
  /** Canonical text of an object; else the text as it is. */
  readonly text: string;
  /** Top-level arguments of an object, sorted by name: canonical text of each value. */
  readonly members: Members | undefined;
  /** The framework handed over parsed arguments: what the model wrote beyond double precision is lost. */
  readonly parsed: boolean;
}

/** A digest shows its argument's declared name only; any other name is `*`, and its real name is inside the digest. */
export const UNDECLARED = "*";
/** Most digests that one call carries. */
export const MOST_DIGESTS = 32;

/**
 * Canonical form of a call's arguments. Never throws.
 *
 * @param args raw text as the model wrote it, or a value that is already parsed; undefined (no arguments) is `{}`
 */
export function canonicalArguments(args: unknown): CanonicalArguments {
  if (typeof args === "string") {
    const read = readCanonical(args);
    if (read?.members) return { form: "object", text: read.text, members: read.members, parsed: false };
    return { form: read ? "value" : "text", text: args, members: undefined, parsed: false };
  }
  const written = writeCanonical(args === undefined ? {} : args);
  if (written?.members) return { form: "object", text: written.text, members: written.members, parsed: true };
  return { form: written ? "value" : "text", text: plainText(args, written?.text), members: undefined, parsed: true };
}

/** Above this, a value that is shared many times over may take for ever to write out again. */
const MOST_PLAIN_CHARACTERS = 1_000_000;

/** What the model most likely wrote, where a framework hands over a parsed value that is no object. */
function plainText(value: unknown, canonical: string | undefined): string {
  if (canonical === undefined || canonical.length > MOST_PLAIN_CHARACTERS) return canonical ?? "";
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return canonical;
  }
}

/** 32 hex digits: equal for two calls exactly when tool and arguments are equal as JSON values. */
export function signature(key: SigningKey, tool: string, args: CanonicalArguments): string {
  return key.digest(`${args.form === "object" ? "1" : "0"}\0${tool}\0${args.text}`, 16);
}

/** 16 hex digits over name and value of one top-level argument (not over the tool). */
export function argumentDigest(key: SigningKey, name: string, canonicalValue: string): string {
  return key.digest(`a\0${name}\0${canonicalValue}`, 8);
}

/**
 * `name=16 hex` for each top-level argument, sorted, at most 32; undefined where the arguments are no object.
 *
 * @param isDeclared whether the tool's schema declares a top-level name; the others are shown as `*`
 */
export function argumentDigests(
  key: SigningKey,
  args: CanonicalArguments,
  isDeclared: (name: string) => boolean,
): string[] | undefined {
  if (!args.members) return undefined;
  const declared: string[] = [];
  const undeclared: string[] = [];
  for (const [name, value] of args.members) {
    const digest = argumentDigest(key, name, value);
    if (isDeclared(name)) declared.push(`${name}=${digest}`);
    else undeclared.push(`${UNDECLARED}=${digest}`);
  }
  // Hidden names sort by digest: the order of the real ones would say something about them.
  const place = declared.findIndex((digest) => digest > `${UNDECLARED}=`);
  declared.splice(place < 0 ? declared.length : place, 0, ...undeclared.sort());
  return declared.slice(0, MOST_DIGESTS);
}

/** Words of keyed ids of other things than arguments (SIGNATURES.md). */
export type KeyedWord = "operation" | "continuation" | "tool" | "unit";

/** 16 hex digits in place of a text that must not leave the process. */
export function keyedDigest(key: SigningKey, word: KeyedWord, text: string): string {
  return key.digest(`${word}\0${text}`, 8);
}
