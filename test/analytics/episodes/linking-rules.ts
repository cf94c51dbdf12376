/**
 * Writes `docs/linking-rules.md`; with `--check`, says whether it is up to date (exit 1 where it is not):
 * `npm exec node -- --conditions=@mulligan/source test/analytics/episodes/linking-rules.ts [--check]`
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Noticed, withoutRule } from "./mutants.ts";
import { LAWS } from "./properties.ts";
import type { Rule } from "./rule.ts";
import { RULES } from "./rules.ts";

export const DOCUMENT = fileURLToPath(new URL("../../../docs/linking-rules.md", import.meta.url));

const PROPERTIES = Object.keys(LAWS);
/** Names of vectors in one cell of the table. */
const NAMED = 3;

/** @param noticedBy what fails without a rule. */
export async function linkingRules(noticedBy: (rule: Rule) => Promise<Noticed>): Promise<string> {
  const parts = [
    "# The rules of linking, and what holds each of them",
    "",
    "Each line takes one rule of the definitions out of `analytics/episodes/` by changing the text shown, puts all vectors",
    "(`test/vectors/scenarios.json`, `scenarios-more.json`) and all properties to what is left, and lists what fails. A rule",
    "without which nothing fails is an error of the tests. Properties are numbered at the end; here each is put to a few",
    "fixed runs, in its own test to 500 random ones. Generated: change the rules in `test/analytics/episodes/`, then run",
    "`linking-rules.ts` there.",
  ];
  for (const { title, rules } of RULES) {
    parts.push("", `## ${title}`, "", "| rule | taken out | vectors that fail | properties |", "|---|---|---|---|");
    for (const rule of rules) parts.push(row(rule, await noticedBy(rule)));
  }
  parts.push("", "## Properties", "", ...PROPERTIES.map((property, index) => `${index + 1}. ${property}`), "");
  return parts.join("\n");
}

function row({ rule, file, find, replace }: Rule, { vectors, properties }: Noticed): string {
  const change = replace === "" ? code(find) : `${code(find)} → ${code(replace)}`;
  const more = vectors.length > NAMED ? ` and ${vectors.length - NAMED} more` : "";
  const named = vectors.slice(0, NAMED).join(", ") + more;
  const numbers = properties.map((property) => PROPERTIES.indexOf(property) + 1).join(", ");
  return `| ${rule} | ${file}: ${change} | ${named || "—"} | ${numbers || "—"} |`;
}

/** Source text in a cell: on one line, and a bar does not end the cell. */
function code(text: string): string {
  const line = text.replace(/\s+/g, " ").trim().replaceAll("|", "\\|");
  return line.includes("`") ? `\`\` ${line} \`\`` : `\`${line}\``;
}

if (import.meta.main) {
  const text = await linkingRules(withoutRule);
  if (!process.argv.includes("--check")) await writeFile(DOCUMENT, text);
  else if ((await readFile(DOCUMENT, "utf8").catch(() => "")) !== text) {
    process.stderr.write(
      "docs/linking-rules.md is out of date: run test/analytics/episodes/linking-rules.ts without --check.\n",
    );
    process.exitCode = 1;
  }
}
