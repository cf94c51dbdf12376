import { short, spreadOf, spreadText, whole } from "../measure.ts";
import type { Result } from "../question.ts";

/** What was measured of one question, in milliseconds, a number a round. */
export interface AskedRounds {
  readonly name: string;
  readonly raw: readonly number[];
  readonly answer: readonly number[];
  /** The answer again, over a thousand calls. */
  readonly answerFew: readonly number[];
  /** Numbers that were compared, all of them equal. */
  readonly compared: number;
  /** The least ratio of raw to answer that the project has promised at full size; null where it has promised none. */
  readonly promised: number | null;
}

export interface TableSize {
  readonly name: string;
  readonly rows: number;
  /** Indexes included. */
  readonly bytes: number;
}

export interface AnswersSize {
  readonly calls: number;
  readonly runs: number;
  readonly few: number;
  readonly tables: readonly TableSize[];
  readonly fewTables: readonly TableSize[];
  readonly makingMilliseconds: number;
  readonly linkingMilliseconds: number;
}

export function answersResult(asked: readonly AskedRounds[], size: AnswersSize, version: string): Result {
  const measured = asked.map((one) => {
    const [raw, answer, few] = [spreadOf(one.raw), spreadOf(one.answer), spreadOf(one.answerFew)];
    return { ...one, raw, answer, few, ratio: raw.median / answer.median, growth: answer.median / few.median };
  });
  return {
    sizes: {
      calls: `${whole(size.calls)} in ${whole(size.runs)} runs over 90 days, beside ${whole(size.few)}`,
      rounds: String(asked[0]?.raw.length ?? 0),
      versions: version,
    },
    tables: [
      {
        head: [
          "",
          "raw calls, ms",
          "answer, ms",
          "times as fast",
          `answer at ${whole(size.few)} calls, ms`,
          "numbers, all equal",
        ],
        rows: measured.map(({ name, raw, answer, ratio, few, compared }) => [
          name,
          spreadText(raw, short),
          spreadText(answer, short),
          short(ratio),
          spreadText(few, short),
          whole(compared),
        ]),
      },
      {
        head: ["table", "rows", "MB with indexes", `rows at ${whole(size.few)} calls`],
        rows: size.tables.map(({ name, rows, bytes }, index) => [
          `\`${name}\``,
          whole(rows),
          short(bytes / 2 ** 20),
          whole(size.fewTables[index]?.rows ?? 0),
        ]),
      },
    ],
    notes: [
      "The answers are those of the API, whole (rates with intervals, outcomes, usage, rows by risk class), asked without HTTP. The overview asks three, as its page does: the funnel, and when that is there the tools and the fingerprints at the same time.",
      "The statement over raw runs, turns and calls computes the numbers that were compared and no more: calls, first and repair attempts, runs and how they ended, episodes opened, settled and pending, repairs, unchanged repeats and steps, targeted changes, next actions, extra model turns with their distribution, terminal outcomes, handovers, attributed usage; for the overview also by tool and by fingerprint. *Counts only* leaves out the runs and the attributed usage, which an overview shows: the answers compute them all the same, so its row shows how much of the ratio they are, and no promise is measured by it. The statement has the planner settings that the answers use, sorts only runs with a rejected call, and knows that this data has one call a turn.",
      "What an answer costs follows the rows of `call_day` and `episode_day` in its interval (of the hours and single runs at its edges too): days times cohorts, not calls. A thousand calls do not fill them; a million do.",
      `Six tools, four schema versions and two templates, all of them in use on every day (which compresses least), twelve fingerprints, every row of the funnel. The linker that the service runs linked them: ${whole((size.runs * 1000) / size.linkingMilliseconds)} runs a second in one process.`,
    ],
    promises: measured.flatMap(({ name, ratio, promised }) =>
      promised === null
        ? []
        : [{ text: `${name}: at least ${promised} times as fast as from raw calls`, kept: ratio >= promised }],
    ),
    numbers: { calls: size.calls, runs: size.runs, size, questions: measured },
  };
}
