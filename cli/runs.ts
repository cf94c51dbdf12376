import { formatCount, formatCountOf, formatTime } from "../analytics/client/format.ts";
import type { RunsAnswer } from "../analytics/questions/list-answer.ts";
import { defineCommand } from "./command.ts";
import { headerLines } from "./group-lines.ts";
import { printAnswer } from "./print-answer.ts";
import { OUTCOME_OPTION, PAGE_OPTIONS, queryOf, RUN_SCOPE_OPTIONS } from "./scope-options.ts";
import { tableLines } from "./table-lines.ts";
import type { Terminal } from "./terminal.ts";

export const runsCommand = defineCommand({
  name: "runs",
  summary: "List the runs, newest first, with how they ended and what was rejected.",
  details:
    "A run is listed by its first call to the tools that are asked for; by its first call, where no tool is. A fingerprint, rung, retryability or failure class lists the runs with such a call.",
  options: { ...RUN_SCOPE_OPTIONS, ...OUTCOME_OPTION, ...PAGE_OPTIONS },
  examples: [
    { command: "mulligan runs", shows: "The twenty newest runs." },
    { command: "mulligan runs --outcome exhausted,failed --last 7d", shows: "Runs that ended badly this week." },
    {
      command: "mulligan runs --fingerprint invalid:start:date_format --json",
      shows: "Runs in which this failure occurred, as JSON.",
    },
  ],
  async run({ values, stdout, config, open }) {
    const source = await open();
    try {
      const answer = await source.questions.runs(queryOf(values, { limit: "20" }));
      printAnswer(answer, { values, stdout, config }, runsText);
      return 0;
    } finally {
      await source.close();
    }
  },
});

/** The whole answer as text. */
function runsText(answer: RunsAnswer, terminal: Terminal): string {
  const { total, runs, next } = answer;
  const heading = ["started", "model", "outcome", "turns", "calls", "rejected", "pending", "run"];
  return [
    terminal.bold(`${formatCountOf(total, "run")}, newest first`),
    ...headerLines(answer, terminal),
    ...(runs.length === 0 ? [] : ["", ...tableLines(heading, runs.map(cells), terminal)]),
    ...(runs.length === 0 ? [] : ["", terminal.dim("What happened in a run: mulligan run ID")]),
    ...(next === null ? [] : [terminal.dim(`More: --before ${next}`)]),
    "",
  ].join("\n");
}

function cells(run: RunsAnswer["runs"][number]): string[] {
  return [
    formatTime(run.started_at),
    run.model ?? "not known",
    run.outcome ?? (run.ended ? "unknown" : "not ended"),
    formatCount(run.model_turns),
    formatCount(run.calls),
    formatCount(run.rejected_calls),
    formatCount(run.pending_episodes),
    run.run_key ?? run.run_id,
  ];
}
