import { formatCount, formatCountOf, formatRate, formatTokens } from "../analytics/client/format.ts";
import type { SummaryAnswer } from "../analytics/questions/summary-answer.ts";
import { defineCommand } from "./command.ts";
import { headerLines, line, repairLines, wholeLines } from "./group-lines.ts";
import { printAnswer } from "./print-answer.ts";
import { queryOf, SCOPE_OPTIONS } from "./scope-options.ts";
import type { Terminal } from "./terminal.ts";

export const summaryCommand = defineCommand({
  name: "summary",
  summary: "Everything counted: runs, turns, calls, episodes, rates, and what an import left out.",
  details:
    "With --json also per tool, and every episode by run, turn and ordinal: what another implementation is compared with.",
  options: SCOPE_OPTIONS,
  examples: [
    { command: "mulligan summary", shows: "The counts of everything that is stored." },
    { command: "mulligan summary --json > summary.json", shows: "All of it, per tool and episode by episode." },
  ],
  async run({ values, stdout, config, open }) {
    const source = await open();
    try {
      const answer = await source.questions.summary(queryOf(values));
      printAnswer(answer, { values, stdout, config }, summaryText);
      return 0;
    } finally {
      await source.close();
    }
  },
});

/** The answer as text, without its lists per tool and episode. */
function summaryText(answer: SummaryAnswer, terminal: Terminal): string {
  const { episodes, rates, settings } = answer;
  const put = (label: string, text: string) => line(label, text, terminal);
  const pairs = (record: Readonly<Record<string, unknown>>) =>
    Object.entries(record)
      .map(([name, count]) => `${name.replaceAll("_", " ")} ${formatCount(Number(count))}`)
      .join(" · ");
  return [
    terminal.bold("Summary"),
    ...headerLines(answer, terminal),
    "",
    ...put(
      "runs",
      `${formatCount(answer.runs)}, ended ${formatCount(answer.ended_runs)}${answer.runs === 0 ? "" : `: ${pairs(answer.run_outcomes)}`}`,
    ),
    ...put("model turns", `${formatCount(answer.model_turns)}, text only ${formatCount(answer.text_only_turns)}`),
    ...put("usage", `${formatTokens(answer.input_tokens, "input")} · ${formatTokens(answer.output_tokens, "output")}`),
    ...put("tool calls", `${formatCount(answer.tool_calls)}, with a result ${formatCount(answer.results)}`),
    ...put("by class", pairs(answer.calls_by_class) || "none"),
    ...put("by verdict", pairs(answer.calls_by_verdict)),
    ...put("first attempts", pairs(answer.first_attempts)),
    ...put("repair attempts", pairs(answer.repair_attempts)),
    ...Object.entries(episodes).flatMap(([kind, { opened, settled, pending }]) =>
      put(
        `${kind} episodes`,
        `${formatCount(opened)}, settled ${formatCount(settled)}, pending ${formatCount(pending)}`,
      ),
    ),
    "",
    ...put("first attempts valid", formatRate(rates.first_attempt_validity)),
    ...repairLines(answer, settings.E, terminal),
    ...wholeLines(answer, terminal),
    ...put("task completed", formatRate(rates.completion_rate)),
    ...importLines(answer, terminal),
    "",
    terminal.dim(`${formatCountOf(Object.keys(answer.by_tool).length, "tool")} and every episode: --json`),
    "",
  ].join("\n");
}

function importLines(answer: SummaryAnswer, terminal: Terminal): string[] {
  if (answer.files.length === 0) return [];
  const skipped = (record: Readonly<Record<string, number>>) =>
    Object.entries(record)
      .map(([name, count]) => `${name.replaceAll("_", " ")} ${formatCount(count)}`)
      .join(" · ") || "none";
  return [
    "",
    ...line("imported", formatCountOf(answer.files.length, "file"), terminal),
    ...line("orphan results", formatCount(answer.orphan_results), terminal),
    ...line("duplicates skipped", skipped(answer.duplicates_skipped), terminal),
    ...line("left out", skipped(answer.left_out), terminal),
    ...line("broken lines", formatCount(answer.broken_lines.length), terminal),
  ];
}
