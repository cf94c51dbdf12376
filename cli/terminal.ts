/** Colours and widths of a terminal, or their absence. */
import type { Config } from "../config.ts";
import type { Output } from "./command.ts";

type Paint = (text: string) => string;

export interface Terminal {
  /** Characters a line. */
  readonly width: number;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly good: Paint;
  readonly bad: Paint;
}

const plain: Paint = (text) => text;
const sgr =
  (on: number, off: number): Paint =>
  (text) =>
    `\u001b[${on}m${text}\u001b[${off}m`;

/** Narrower than this a row of the funnel does not fit; wider than that the eye loses the line. */
const NARROWEST = 72;
const WIDEST = 120;

/** Colours only on a terminal and where NO_COLOR is not set; 80 columns where there is no terminal. */
export function terminalOf(stdout: Output, config: Pick<Config, "colour">): Terminal {
  const coloured = stdout.isTTY === true && config.colour;
  return {
    width: Math.min(Math.max(stdout.columns ?? 80, NARROWEST), WIDEST),
    bold: coloured ? sgr(1, 22) : plain,
    dim: coloured ? sgr(2, 22) : plain,
    good: coloured ? sgr(32, 39) : plain,
    bad: coloured ? sgr(31, 39) : plain,
  };
}

/**
 * The text with every character that a terminal acts on, or that hides or reorders others, written as its escape:
 * `\u001b`. What a model, a tool or a file named must not move a cursor, set a title, or read as another name.
 */
export function escaped(text: string, kept = ""): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === kept
      ? character
      : Array.from({ length: character.length }, (_, unit) => escapeOf(character.charCodeAt(unit))).join(""),
  );
}

const escapeOf = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`;

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A bar of at most `width` characters for `part` of `whole`, to an eighth of one; a part that is not 0 is never invisible. */
export function bar(part: number, whole: number, width: number): string {
  if (whole <= 0 || part <= 0 || width <= 0) return "";
  const eighths = Math.max(1, Math.round((part / whole) * width * 8));
  return `${"█".repeat(Math.floor(eighths / 8))}${EIGHTHS[eighths % 8]}`;
}
