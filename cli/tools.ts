import { formatCount, formatRate } from "../analytics/client/format.ts";
import type { ToolsAnswer } from "../analytics/questions/answer.ts";
import { defineCommand } from "./command.ts";
import { groupLines, headerLines, keyName, line, teachingLines, wholeLines } from "./group-lines.ts";
import { printAnswer } from "./print-answer.ts";
import { GROUP_OPTIONS, LIMIT_OPTION, queryOf, SCOPE_OPTIONS } from "./scope-options.ts";
import type { Terminal } from "./terminal.ts";

export const toolsCommand = defineCommand({
  name: "tools",
  summary: "List the tools, what hurts most first.",
  details:
    "Ordered by unrepaired episodes in runs that did not complete (an unknown end counts), then attributed tokens, then extra model turns, each weighted by the tool's risk.",
  options: { ...SCOPE_OPTIONS, ...GROUP_OPTIONS, ...LIMIT_OPTION },
  examples: [
    { command: "mulligan tools --last 7d", shows: "The ten tools that hurt most this week." },
    {
      command: "mulligan tools --group-by schema_version --tool search_flights",
      shows: "One tool, a paragraph for each version of its schema.",
    },
  ],
  async run({ values, stdout, config, open }) {
    const source = await open();
    try {
      const answer = await source.questions.tools(queryOf(values, { limit: "10" }));
      printAnswer(answer, { values, stdout, config }, toolsText);
      return 0;
    } finally {
      await source.close();
    }
  },
});

/** The whole answer as text. */
function toolsText(answer: ToolsAnswer, terminal: Terminal): string {
  const { overall, settings, tools, total } = answer;
  const left = total - tools.length;
  return [
    terminal.bold(`${formatCount(total)} tools, what hurts most first`),
    ...headerLines(answer, terminal),
    ...tools.flatMap((tool) => ["", ...groupLines(keyName(tool.key), tool, settings.E, terminal)]),
    ...(left > 0 ? ["", terminal.dim(`${formatCount(left)} more: --limit ${Math.min(200, total)}`)] : []),
    "",
    terminal.bold("All tools together"),
    ...line(
      "first attempts",
      `${formatCount(overall.first_attempts.total)}, rejected ${formatRate(overall.rates.first_attempt_failure_rate)}`,
      terminal,
    ),
    ...teachingLines(overall, settings.E, terminal),
    ...wholeLines(overall, terminal),
    "",
  ].join("\n");
}
