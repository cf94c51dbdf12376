/** The API's names in the words of a page. */
import type { Measured } from "../../../analytics/client/client.ts";

export type RateName = keyof Measured["rates"];
export type Outcome = keyof Measured["terminal_outcomes"];

/** In the order of METRICS.md: good first, what nobody reported last. */
export const OUTCOMES: readonly Outcome[] = [
  "completed",
  "unsuccessful",
  "escalated",
  "blocked",
  "exhausted",
  "failed",
  "unknown",
];

/** What each way for a run to end means. */
export const OUTCOME_MEANINGS: Readonly<Record<Outcome, string>> = {
  completed: "the task was achieved",
  unsuccessful: "the run ended, the task was not achieved",
  escalated: "handed to a person",
  blocked: "stopped by policy or a permission",
  exhausted: "out of turns, tokens, time or money",
  failed: "the run crashed",
  unknown: "nobody reported how the run ended",
};

/** `title`, what one of the denominator is, and which direction is good. */
export interface RateWords {
  readonly title: string;
  readonly of: string;
  readonly better: "higher" | "lower";
  readonly meaning: string;
}

export const RATE_WORDS: Readonly<Record<RateName, RateWords>> = {
  first_attempt_validity: {
    title: "First-attempt validity",
    of: "first attempts",
    better: "higher",
    meaning: "Called rightly before any error text was read.",
  },
  first_attempt_validity_parse: {
    title: "First attempts that parse",
    of: "first attempts",
    better: "higher",
    meaning: "The arguments are a whole JSON object.",
  },
  first_attempt_validity_schema: {
    title: "First attempts that pass the schema",
    of: "first attempts that parsed",
    better: "higher",
    meaning: "The tool exists and its declared schema takes the arguments.",
  },
  first_attempt_validity_tool: {
    title: "First attempts that the tool takes",
    of: "first attempts that passed the schema",
    better: "higher",
    meaning: "The tool's own rules take the arguments.",
  },
  first_attempt_failure_rate: {
    title: "First-attempt failure",
    of: "first attempts",
    better: "lower",
    meaning: "First attempts that were rejected.",
  },
  retry_failure_rate: {
    title: "Retry failure",
    of: "repair attempts with a known verdict",
    better: "lower",
    meaning: "The model tried again and was rejected again.",
  },
  first_repair_rate: {
    title: "First repair",
    of: "settled repair episodes",
    better: "higher",
    meaning: "The very next turn repaired the call: the error text taught it.",
  },
  eventual_repair_rate: {
    title: "Eventual repair",
    of: "settled repair episodes",
    better: "higher",
    meaning: "Repaired within the eventual window, first repairs included.",
  },
  late_repair_rate: {
    title: "Late repair",
    of: "settled repair episodes",
    better: "lower",
    meaning: "Repaired after the eventual window.",
  },
  unchanged_repeat_rate: {
    title: "Unchanged repeat",
    of: "settled repair episodes",
    better: "lower",
    meaning: "The next turn made the very same call again: the error text said nothing that helped.",
  },
  unchanged_step_rate: {
    title: "Unchanged steps",
    of: "rejected calls with a next attempt",
    better: "lower",
    meaning: "Same call again, over all attempts of an episode.",
  },
  targeted_change_rate: {
    title: "Targeted change",
    of: "settled repair episodes that can be compared",
    better: "higher",
    meaning: "The first repair attempt changed the parameter that the error named.",
  },
  transient_repeat_rate: {
    title: "Transient repeat",
    of: "settled episodes where the same call may work",
    better: "higher",
    meaning: "Repeated unchanged where that is the right answer.",
  },
  repeat_after_denial_rate: {
    title: "Repeat after denial",
    of: "settled denial episodes",
    better: "lower",
    meaning: "Asked again for what had been denied.",
  },
  completion_rate: {
    title: "Completion",
    of: "ended runs with a known outcome",
    better: "higher",
    meaning: "Runs that achieved their task.",
  },
};

const RISK_WORDS: Readonly<Record<string, string>> = {
  read: "read only",
  write_reversible: "reversible write",
  write_irreversible: "irreversible write",
  unstated: "risk unstated",
};

export function riskWords(risk: string): string {
  return RISK_WORDS[risk] ?? risk;
}

/** `repaired_turn_1`: repaired on the next turn; `unresolved_escalated`: not repaired, escalated. */
export function funnelRowWords(row: string): string {
  const turn = /^repaired_turn_(\d+)$/.exec(row)?.[1];
  if (turn === "1") return "repaired on the next turn";
  if (turn !== undefined) return `repaired on turn ${turn}`;
  if (row === "repaired_late") return "repaired late";
  if (row === "undecided") return "not decided yet";
  if (row === "unresolved_unknown") return "not repaired, end unknown";
  return row.startsWith("unresolved_") ? `not repaired, ${row.slice("unresolved_".length)}` : row.replaceAll("_", " ");
}

const ACTION_WORDS: Readonly<Record<string, string>> = {
  repaired_next_turn: "repaired on the next turn",
  repaired_later: "repaired later",
  repeated_unchanged: "same call again",
  changed_still_invalid: "changed, still rejected",
  not_known: "not known",
  changed_direction: "went on with something else",
  gave_up: "gave up",
};

export function actionWords(action: string): string {
  return ACTION_WORDS[action] ?? action.replaceAll("_", " ");
}
