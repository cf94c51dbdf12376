import { formatCountOf, formatDuration, formatTime } from "../analytics/client/format.ts";
import type { RunAnswer } from "../analytics/questions/run-answer.ts";
import { CommandError, defineCommand, UsageError } from "./command.ts";
import { wrapped } from "./help.ts";
import { printAnswer } from "./print-answer.ts";
import type { Terminal } from "./terminal.ts";

export const runCommand = defineCommand({
  name: "run",
  summary: "Show one run: its model turns, calls, and which call repaired which.",
  positionals: "ID",
  details: "ID is the run's id, or the file's own run key of an imported run.",
  options: {},
  examples: [
    { command: "mulligan run 3/0", shows: "An imported run by its task and trial." },
    { command: "mulligan run checkout-7f3a --json", shows: "A live run by the id that its emitter sent." },
  ],
  async run({ values, positionals, stdout, config, open }) {
    const [id, ...more] = positionals;
    if (id === undefined || more.length > 0) {
      throw new UsageError(`one run id is needed, got ${positionals.length}. Ids stand in: mulligan runs`);
    }
    const source = await open();
    try {
      const answer = await source.questions.run(id);
      if (answer === null) {
        throw new CommandError(
          `no run has the id or run key ${JSON.stringify(id)} in ${source.description}. Ids stand in: mulligan runs`,
        );
      }
      printAnswer(answer, { values, stdout, config }, runText);
      return 0;
    } finally {
      await source.close();
    }
  },
});

type Call = RunAnswer["calls"][number];
type Episode = RunAnswer["episodes"][number];

/** The run as text: a line for each model turn and call, failures with the episode that they belong to. */
function runText(answer: RunAnswer, terminal: Terminal): string {
  const { run } = answer;
  const facts = [
    run.model ?? "model not known",
    ...(run.agent === null ? [] : [`agent ${run.agent}`]),
    formatCountOf(run.model_turns, "model turn"),
    formatCountOf(run.calls, "call"),
    ...(run.left_out_calls === 0 ? [] : [`${formatCountOf(run.left_out_calls, "call")} not of the model left out`]),
    run.outcome === null ? (run.ended ? "ended, outcome unknown" : "not ended") : `ended ${run.outcome}`,
    ...(run.time_source === "import" ? ["times of the import"] : [formatTime(run.started_at)]),
    ...(run.parent_run_id === null ? [] : [`child of ${run.parent_run_id}`]),
    ...(run.child_runs.length === 0 ? [] : [`children ${run.child_runs.join(", ")}`]),
    ...(run.waiting ? ["waits to be linked: this may change"] : []),
  ];
  const name = run.run_key === null ? run.run_id : `${run.run_key} (${run.run_id})`;
  return [
    terminal.bold(`Run ${name}`),
    ...wrapped(facts.join(" · "), terminal.width).map(terminal.dim),
    "",
    ...answer.turns.flatMap((turn) => turnLines(turn, answer, terminal)),
    "",
  ].join("\n");
}

function turnLines(turn: RunAnswer["turns"][number], answer: RunAnswer, terminal: Terminal): string[] {
  const calls = answer.calls.filter((call) => call.turn === turn.turn);
  const usage = [
    ...(turn.input_tokens === null ? [] : [`${turn.input_tokens} in`]),
    ...(turn.output_tokens === null ? [] : [`${turn.output_tokens} out`]),
    ...(turn.duration_ms === null ? [] : [formatDuration(turn.duration_ms)]),
    ...(turn.turn_source === "inferred" ? ["turn inferred"] : []),
  ].join(", ");
  const number = String(turn.turn).padStart(4);
  if (calls.length === 0) return [terminal.dim(`${number}  text only${usage === "" ? "" : `  (${usage})`}`)];
  return calls.map((call, index) => {
    const aside = index === 0 && usage !== "" ? terminal.dim(`  (${usage})`) : "";
    return `${index === 0 ? number : "    "}  ${callText(call, answer, terminal)}${aside}`;
  });
}

function callText(call: Call, { calls, episodes }: RunAnswer, terminal: Terminal): string {
  const place = (at: { readonly turn: number; readonly ordinal: number }) => `${at.turn}.${at.ordinal}`;
  const failed = call.failure_class !== null;
  const mark = failed ? terminal.bad("✗") : call.verdict === "unknown" ? "?" : terminal.good("✓");
  const same = failed ? undefined : call;
  const notes = [
    ...(failed ? [call.fingerprint ?? call.failure_class] : []),
    ...(call.verdict === "unknown" && !failed ? ["no result"] : []),
    ...(call.origin === "model" ? [] : [`not of the model: ${call.origin}`]),
    ...episodes.flatMap((episode) => episodeNotes(call, episode, place)),
    ...repeatOf(call, calls, place),
  ];
  return [`${mark} ${place(call)} ${same === undefined ? terminal.bold(call.tool) : call.tool}`, ...notes].join("  ");
}

function episodeNotes(call: Call, episode: Episode, place: (at: Call | Episode["opening"]) => string): string[] {
  const is = (at: { readonly turn: number; readonly ordinal: number }) =>
    at.turn === call.turn && at.ordinal === call.ordinal;
  const kind = episode.kind === "repair" ? "" : `${episode.kind}: `;
  if (is(episode.opening)) {
    const last = episode.attempts.at(-1);
    if (episode.repaired && last !== undefined) return [`${kind}↷ repaired by ${place(last)}`];
    return [
      `${kind}${episode.settled || episode.decided ? "not repaired" : "open"}, next: ${episode.next_action.replaceAll("_", " ")}`,
    ];
  }
  const attempt = episode.attempts.findIndex(is);
  if (attempt === -1) return [];
  return [`${kind}attempt ${attempt + 1} for ${place(episode.opening)} (by ${episode.attempts[attempt]!.evidence})`];
}

/** The latest earlier call with the same signature, if the digests can be compared. */
function repeatOf(call: Call, calls: readonly Call[], place: (at: Call) => string): string[] {
  const earlier = calls.filter(
    (other) =>
      call.signature !== null &&
      other.signature === call.signature &&
      other.key_id === call.key_id &&
      (other.turn < call.turn || (other.turn === call.turn && other.ordinal < call.ordinal)),
  );
  const latest = earlier.at(-1);
  return latest === undefined ? [] : [`= same call as ${place(latest)}`];
}
