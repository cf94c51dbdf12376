/** Results as text: for the terminal, and as the sections of `RESULTS.md`. */
import type { Environment } from "./environment.ts";
import { short } from "./measure.ts";
import type { Question, Result, ResultTable } from "./question.ts";

const HEADER = `# Benchmark

Written by \`npm run bench\`; each section says what it was measured with. **Only ratios inside one section mean
anything**: the machine shares its cores with whatever else runs on it, and another day's absolute numbers differ by half.
Medians, with the least and the most of all rounds in brackets.
`;

type Titled = Pick<Question, "name" | "title">;

/** One question's section of `RESULTS.md`. */
export function section({ title }: Titled, result: Result, environment: Environment): string {
  const sizes = Object.entries({ ...result.sizes, machine: machine(environment) });
  return [
    `## ${title}`,
    "",
    ...sizes.map(([name, value]) => `- ${name}: ${value}`),
    "",
    ...result.tables.flatMap((table) => [...tableLines(table), ""]),
    ...result.promises.flatMap(({ text, kept }) => [`- ${text}: ${kept ? "kept" : "**not kept**"}`]),
    ...(result.promises.length > 0 ? [""] : []),
    ...result.notes.map((note) => `- ${note}`),
  ].join("\n");
}

function machine({ node, cores, load: [before, after] }: Environment): string {
  return `${cores} cores, ${node}, load average ${short(before)} before and ${short(after)} after`;
}

function tableLines({ head, rows }: ResultTable): string[] {
  const widths = head.map((name, column) => Math.max(3, name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => pad(cells[column] ?? "", width, column)).join(" | ")} |`;
  const rule = widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(head), line(rule), ...rows.map(line)];
}

function pad(text: string, width: number, column: number): string {
  return column === 0 ? text.padEnd(width) : text.padStart(width);
}

/** The file with one question's section put in the place of its last one; the others stay as they are. */
export function withSection(file: string, questions: readonly Titled[], of: Titled, text: string): string {
  const present = questions.map((question) => (question.name === of.name ? text : sectionIn(file, question)));
  return `${[HEADER.trimEnd(), ...present.filter((one) => one !== null)].join("\n\n")}\n`;
}

function sectionIn(file: string, { title }: Titled): string | null {
  const [, after] = file.split(`## ${title}\n`);
  return after === undefined ? null : `## ${title}\n${after.split("\n## ")[0]!.trimEnd()}`;
}
