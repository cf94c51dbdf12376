import { formatCountOf, formatRate, formatShare } from "../analytics/client/format.ts";
import type { FunnelAnswer } from "../analytics/questions/answer.ts";
import { defineCommand } from "./command.ts";
import { drawing } from "./funnel-drawing.ts";
import { costLines, groupLines, headerLines, keyName, line, teachingLines, wholeLines } from "./group-lines.ts";
import { printAnswer } from "./print-answer.ts";
import { GROUP_OPTIONS, queryOf, SCOPE_OPTIONS } from "./scope-options.ts";
import type { Terminal } from "./terminal.ts";

export const funnelCommand = defineCommand({
  name: "funnel",
  summary: "Draw the repair funnel: first attempts, rejected, what the model did next, how its run ended.",
  details:
    "Rates are n of N with 95 % Wilson intervals. Episodes that have not settled are counted apart, as the open funnel so far. Repair rates never stand without the terminal outcomes of their runs.",
  options: { ...SCOPE_OPTIONS, ...GROUP_OPTIONS },
  examples: [
    { command: "mulligan funnel", shows: "The funnel over everything that is stored." },
    { command: "mulligan funnel --last 7d --tool search_flights", shows: "One tool in the last seven days." },
    { command: "mulligan funnel --group-by template_version", shows: "One part for each version of the error texts." },
    { command: "mulligan funnel --kind recovery --json", shows: "Execution failures and what followed them, as JSON." },
  ],
  async run({ values, stdout, config, open }) {
    const source = await open();
    try {
      const answer = await source.questions.funnel(queryOf(values));
      printAnswer(answer, { values, stdout, config }, funnelText);
      return 0;
    } finally {
      await source.close();
    }
  },
});

/** The whole answer as text. */
export function funnelText(answer: FunnelAnswer, terminal: Terminal): string {
  const { overall, settings } = answer;
  return [
    terminal.bold(overall.funnel.kind === "repair" ? "Repair funnel" : `Funnel of ${overall.funnel.kind} episodes`),
    ...headerLines(answer, terminal),
    "",
    ...drawing(overall, terminal),
    "",
    terminal.bold(overall.funnel.kind === "repair" ? "Does the error text teach?" : "What became of them"),
    ...teachingLines(overall, settings.E, terminal),
    ...line(
      "task completed",
      `${formatRate(overall.rates.completion_rate)} · outcome known for ${formatShare(overall.outcomes_known)} of ended runs that called a tool`,
      terminal,
    ),
    ...wholeLines(overall, terminal),
    "",
    terminal.bold("What wrong calls cost"),
    ...costLines(overall.funnel, terminal),
    ...answer.groups.flatMap((group) => ["", ...groupLines(keyName(group.key), group, settings.E, terminal)]),
    ...(answer.runs_without_times === null || answer.runs_without_times === 0
      ? []
      : [
          "",
          terminal.dim(
            `${formatCountOf(answer.runs_without_times, "run")} read from files without times: in no day or hour.`,
          ),
        ]),
    "",
  ].join("\n");
}
