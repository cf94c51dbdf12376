/** The numbers that are asked for on both sides, and how an answer states them: those that the pages show. */
import { TERMINAL_OUTCOMES } from "../../analytics/metrics/counts.ts";
import type { Group } from "../../analytics/questions/answer.ts";
import { NEXT_ACTIONS } from "../../analytics/questions/episode-details.ts";

/** Of calls and runs. An answer about a fingerprint states them of its tool, but for the rejected calls. */
const CALL_NUMBERS = [
  "calls",
  "first_accepted",
  "repair_accepted",
  "repair_rejected",
  "runs",
  "runs_ended",
  "runs_known",
  "runs_completed",
] as const;

/** Of settled episodes. */
export const EPISODE_NUMBERS = [
  "episodes_settled",
  "first_repair",
  "eventual_repair",
  "late_repair",
  "unchanged_repeat",
  "unchanged_steps",
  "steps",
  "targeted_change",
  "targeted_change_known",
  "handovers",
  "extra_model_turns",
  ...([0, 1, 2, 3, 4] as const).map((turns) => `extra_model_turns_${turns}` as const),
  ...NEXT_ACTIONS.map((action) => `next_${action}` as const),
  ...TERMINAL_OUTCOMES.map((outcome) => `outcome_${outcome}` as const),
  ...TERMINAL_OUTCOMES.map((outcome) => `unresolved_${outcome}` as const),
  "attributed_model_turns",
  "attributed_input_tokens",
  "attributed_cached_input_tokens",
  "attributed_output_tokens",
  "attributed_duration_ms",
] as const;

export const NUMBER_NAMES = [
  ...CALL_NUMBERS,
  "first_rejected",
  "episodes_opened",
  "episodes_pending",
  ...EPISODE_NUMBERS,
] as const;
export type NumberName = (typeof NUMBER_NAMES)[number];
export type Numbers = Readonly<Record<NumberName, number>>;

const NOT_OF_FINGERPRINTS = new Set<NumberName>(CALL_NUMBERS.filter((name) => name !== "repair_rejected"));

/** One group of an answer: everything, a tool, or a tool's fingerprint. */
export interface NumberedGroup {
  readonly tool: string | null;
  readonly fingerprint: string | null;
  readonly numbers: Numbers;
}

export function numbersOf(group: Group): NumberedGroup {
  const { calls, first_attempts: first, repair_attempts: repair, rates, funnel } = group;
  const { usage, extra_turns: extra } = funnel;
  const numerators = (prefix: string, counts: Readonly<Record<string, { readonly numerator: number }>>) =>
    Object.fromEntries(Object.entries(counts).map(([name, { numerator }]) => [`${prefix}_${name}`, numerator]));
  const unresolved = TERMINAL_OUTCOMES.map((outcome) => {
    const row = funnel.rows.find((one) => one.row === `unresolved_${outcome}`);
    return [`unresolved_${outcome}`, row?.episodes ?? 0];
  });
  const distribution = Object.fromEntries(
    Object.entries(extra.distribution).map(([turns, { numerator }]) => [
      `extra_model_turns_${parseInt(turns, 10)}`,
      numerator,
    ]),
  );
  const numbers = {
    calls: calls.total,
    first_accepted: first.accepted,
    first_rejected: first.rejected,
    repair_accepted: repair.accepted,
    repair_rejected: repair.rejected,
    runs: group.runs,
    runs_ended: group.outcomes_known.denominator,
    runs_known: group.outcomes_known.numerator,
    runs_completed: rates.completion_rate.numerator,
    episodes_opened: funnel.opened,
    episodes_pending: funnel.pending,
    episodes_settled: funnel.settled,
    first_repair: rates.first_repair_rate.numerator,
    eventual_repair: rates.eventual_repair_rate.numerator,
    late_repair: rates.late_repair_rate.numerator,
    unchanged_repeat: rates.unchanged_repeat_rate.numerator,
    unchanged_steps: rates.unchanged_step_rate.numerator,
    steps: rates.unchanged_step_rate.denominator,
    targeted_change: rates.targeted_change_rate.numerator,
    targeted_change_known: rates.targeted_change_rate.denominator,
    handovers: funnel.handovers,
    extra_model_turns: extra.total,
    ...distribution,
    ...numerators("next", funnel.next_actions),
    ...numerators("outcome", funnel.outcomes),
    ...Object.fromEntries(unresolved),
    attributed_model_turns: usage.model_turns ?? 0,
    attributed_input_tokens: usage.input_tokens ?? 0,
    attributed_cached_input_tokens: usage.cached_input_tokens ?? 0,
    attributed_output_tokens: usage.output_tokens ?? 0,
    attributed_duration_ms: usage.duration_ms ?? 0,
  };
  return { tool: textOf(group.key.tool), fingerprint: textOf(group.key.fingerprint), numbers: complete(numbers) };
}

/** @throws where a name has no number: an answer that lost one must not pass for equal. */
export function complete(numbers: Readonly<Record<string, number>>): Numbers {
  const missing = NUMBER_NAMES.filter((name) => typeof numbers[name] !== "number");
  if (missing.length > 0) throw new Error(`no number of ${missing.join(", ")}`);
  return Object.fromEntries(NUMBER_NAMES.map((name) => [name, numbers[name]])) as Numbers;
}

function textOf(value: string | number | null | undefined): string | null {
  return value === null || value === undefined ? null : String(value);
}

export interface Comparison {
  readonly compared: number;
  /** A line for each number that differs, and for each group that only one side has. */
  readonly differences: readonly string[];
}

/** What a statement leaves out that has `countsOnly`. */
const NO_COUNTS = NUMBER_NAMES.filter((name) => name.startsWith("runs") || name.startsWith("attributed_"));

/** Compares group by group and number by number. */
export function compare(
  answered: readonly NumberedGroup[],
  raw: readonly NumberedGroup[],
  { countsOnly = false }: { readonly countsOnly?: boolean | undefined } = {},
): Comparison {
  const leftOut = new Set<NumberName>(countsOnly ? NO_COUNTS : []);
  const differences: string[] = [];
  let compared = 0;
  const left = new Map(raw.map((group) => [nameOf(group), group]));
  for (const group of answered) {
    const name = nameOf(group);
    const other = left.get(name);
    left.delete(name);
    if (other === undefined) {
      differences.push(`${name}: only in the answer`);
      continue;
    }
    for (const number of NUMBER_NAMES) {
      if (leftOut.has(number) || (group.fingerprint !== null && NOT_OF_FINGERPRINTS.has(number))) continue;
      compared += 1;
      const [mine, its] = [group.numbers[number], other.numbers[number]];
      if (mine !== its) differences.push(`${name}, ${number}: ${mine} in the answer, ${its} from raw calls`);
    }
  }
  for (const name of left.keys()) differences.push(`${name}: only from raw calls`);
  return { compared, differences };
}

function nameOf({ tool, fingerprint }: NumberedGroup): string {
  return [tool ?? "everything", ...(fingerprint === null ? [] : [fingerprint])].join(" / ");
}
