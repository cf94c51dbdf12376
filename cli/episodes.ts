import { formatCountOf, formatTime } from "../analytics/client/format.ts";
import type { EpisodesAnswer } from "../analytics/questions/list-answer.ts";
import { defineCommand } from "./command.ts";
import { rowName } from "./funnel-drawing.ts";
import { headerLines } from "./group-lines.ts";
import { printAnswer } from "./print-answer.ts";
import { OUTCOME_OPTION, PAGE_OPTIONS, queryOf, SCOPE_OPTIONS } from "./scope-options.ts";
import { tableLines } from "./table-lines.ts";
import type { Terminal } from "./terminal.ts";

export const episodesCommand = defineCommand({
  name: "episodes",
  summary: "List the episodes behind the numbers, newest first: each with the run to look at.",
  details: "Every filter of the funnel applies, and the rows of the funnel are filters too.",
  options: {
    ...SCOPE_OPTIONS,
    row: {
      type: "string",
      multiple: true,
      placeholder: "ROW",
      description: "Only this row of the funnel: repaired_turn_1, repaired_late, unresolved_exhausted, undecided …",
    },
    "next-action": {
      type: "string",
      multiple: true,
      placeholder: "ACTION",
      description:
        "Only what the model did next: repaired_next_turn, repaired_later, repeated_unchanged, changed_still_invalid, not_known, changed_direction, gave_up.",
    },
    state: { type: "string", placeholder: "settled|pending", description: "Only settled or only pending ones." },
    ...OUTCOME_OPTION,
    ...PAGE_OPTIONS,
  },
  examples: [
    { command: "mulligan episodes --last 24h --tool search_flights", shows: "The newest failures of one tool." },
    {
      command: "mulligan episodes --row unresolved_exhausted,unresolved_escalated",
      shows: "Wrong calls that nobody repaired, in runs that ran out of budget or went to a person.",
    },
    {
      command: "mulligan episodes --next-action repeated_unchanged --json",
      shows: "Where the model sent the very same call again, as JSON.",
    },
  ],
  async run({ values, stdout, config, open }) {
    const source = await open();
    try {
      const answer = await source.questions.episodes(queryOf(values, { limit: "20" }));
      printAnswer(answer, { values, stdout, config }, episodesText);
      return 0;
    } finally {
      await source.close();
    }
  },
});

/** The whole answer as text. */
function episodesText(answer: EpisodesAnswer, terminal: Terminal): string {
  const { total, episodes, next, scope } = answer;
  return [
    terminal.bold(`${formatCountOf(total, `${scope.kind} episode`)}, newest first`),
    ...headerLines(answer, terminal),
    ...(episodes.length === 0
      ? []
      : ["", ...tableLines(["opened", "tool", "failure", "what became of it", "run"], episodes.map(cells), terminal)]),
    ...(episodes.length === 0 ? [] : ["", terminal.dim("What happened in a run: mulligan run ID")]),
    ...(next === null ? [] : [terminal.dim(`More: --before ${next}`)]),
    "",
  ].join("\n");
}

function cells(episode: EpisodesAnswer["episodes"][number]): string[] {
  const turns = episode.extra_model_turns;
  const became = [
    ...(episode.settled || episode.funnel_row === "undecided" ? [] : ["pending:"]),
    rowName(episode.funnel_row),
    ...(turns === 0 ? [] : [`+${formatCountOf(turns, "turn")}`]),
  ];
  return [
    formatTime(episode.opened_at),
    episode.tool,
    episode.fingerprint ?? episode.failure_class,
    became.join(" "),
    episode.run_key ?? episode.run_id,
  ];
}
