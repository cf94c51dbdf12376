/** An error text without what varies from call to call, so that equal mistakes have equal shapes (IMPORTS.md). */
import { MATCHED_CHARACTERS } from "../rules.ts";

// Every pattern is linear in the text: lengths are bounded where a scan could start again at each character.
const QUOTED = /"[^"\n]{0,500}"|'[^'\n]{0,500}'|`[^`\n]{0,500}`|“[^”\n]{0,500}”|‘[^’\n]{0,500}’|«[^»\n]{0,500}»/g;
const PATH = /(?:\b[a-z][a-z0-9+.-]{0,20}:\/\/|~?\/|\b[a-z]:\\|\.{1,2}\/)[^\s"'`,;)]*/gi;
const WORD = /[^\s<>()[\]{},;="'`]+/g;
const VARIES = /[@\p{N}_]/u;

/**
 * The text with quoted strings, paths, e-mail addresses, numbers, UUIDs, dates and every other token with a digit or
 * `_` replaced by `*`, and white space made single. Only the part that rules match is looked at.
 */
export function maskText(text: string): string {
  return text
    .slice(0, MATCHED_CHARACTERS)
    .replace(QUOTED, "*")
    .replace(PATH, "*")
    .replace(WORD, (word) => (VARIES.test(word) ? "*" : word))
    .replace(/\s+/g, " ")
    .replace(/\*(?:,? \*)+/g, "*")
    .trim();
}
