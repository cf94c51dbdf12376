import type { Terminal } from "./terminal.ts";

const GAP = "  ";
/** A column is never cut to less than this. */
const LEAST = 10;

/**
 * Rows under a heading, each column as wide as its longest cell. Where a row is longer than the terminal the widest
 * columns are cut; the last column is never cut, for it holds what a person copies.
 */
export function tableLines(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  terminal: Terminal,
): string[] {
  const all = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...all.map((row) => [...row[column]!].length)));
  const tooLong = () => widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - terminal.width;
  while (tooLong() > 0) {
    const widest = widths.slice(0, -1).reduce((found, width, column) => (width > widths[found]! ? column : found), 0);
    if (widths[widest]! <= LEAST) break;
    widths[widest]! -= 1;
  }
  const [title, ...lines] = all.map((row) =>
    row
      .map((cell, column) => fitted(cell, widths[column]!))
      .join(GAP)
      .trimEnd(),
  );
  return [terminal.dim(title!), ...lines];
}

function fitted(cell: string, width: number): string {
  const letters = [...cell];
  return letters.length > width
    ? `${letters.slice(0, width - 1).join("")}…`
    : cell + " ".repeat(width - letters.length);
}
