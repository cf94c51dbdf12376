import { formatCount, formatCountOf, formatTime } from "../analytics/client/format.ts";
import type { FingerprintRow, FingerprintsAnswer } from "../analytics/questions/answer.ts";
import { defineCommand } from "./command.ts";
import { groupLines, headerLines, line } from "./group-lines.ts";
import { printAnswer } from "./print-answer.ts";
import { LIMIT_OPTION, queryOf, SCOPE_OPTIONS } from "./scope-options.ts";
import type { Terminal } from "./terminal.ts";

export const fingerprintsCommand = defineCommand({
  name: "fingerprints",
  summary: "List the failures by fingerprint, what hurts most first: the error texts to rewrite.",
  details:
    "A fingerprint is class:parameter:category. Its rejected first attempts are counted among all first attempts of the tool. Ordered as `mulligan tools` is.",
  options: { ...SCOPE_OPTIONS, ...LIMIT_OPTION },
  examples: [
    { command: "mulligan fingerprints", shows: "The ten failures that hurt most." },
    {
      command: "mulligan fingerprints --tool search_flights --last 30d --limit 50",
      shows: "Failures of one tool in thirty days.",
    },
    { command: "mulligan fingerprints --kind recovery", shows: "Failures of execution instead of rejected arguments." },
  ],
  async run({ values, stdout, config, open }) {
    const source = await open();
    try {
      const answer = await source.questions.fingerprints(queryOf(values, { limit: "10" }));
      printAnswer(answer, { values, stdout, config }, fingerprintsText);
      return 0;
    } finally {
      await source.close();
    }
  },
});

/** The whole answer as text. */
function fingerprintsText(answer: FingerprintsAnswer, terminal: Terminal): string {
  const { fingerprints, total, settings } = answer;
  const left = total - fingerprints.length;
  return [
    terminal.bold(`${formatCountOf(total, "failure")} by tool and fingerprint, what hurts most first`),
    ...headerLines(answer, terminal),
    ...fingerprints.flatMap((row) => ["", ...fingerprintLines(row, settings.E, terminal)]),
    ...(left > 0 ? ["", terminal.dim(`${formatCount(left)} more: --limit ${Math.min(200, total)}`)] : []),
    "",
  ].join("\n");
}

function fingerprintLines(row: FingerprintRow, E: number, terminal: Terminal): string[] {
  const { tool, fingerprint, ...further } = row.key;
  const cohort = Object.entries(further).map(([name, value]) => ` · ${name}=${value ?? "not recorded"}`);
  const facts = [
    row.failure_classes.join(", "),
    row.rungs.length === 0 ? "rung not graded" : `rung ${row.rungs.join(", ")}`,
    row.retryabilities.length === 0 ? "retryability not stated" : row.retryabilities.join(", "),
    `risk ${row.risks.join(", ")}`,
    ...(row.last_seen === null ? [] : [`last seen ${formatTime(row.last_seen)}`]),
  ];
  return [
    ...groupLines(`${tool} · ${fingerprint ?? "no fingerprint recorded"}${cohort.join("")}`, row, E, terminal),
    ...line("text", facts.join(" · "), terminal).map(terminal.dim),
  ];
}
