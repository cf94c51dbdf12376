/**
 * What is counted for one group of a question: whole numbers, from which every rate is made.
 *
 * Each block says which calls, episodes or runs it counts. Nothing here was divided.
 */

export const TERMINAL_OUTCOMES = [
  "completed",
  "unsuccessful",
  "escalated",
  "blocked",
  "exhausted",
  "failed",
  "unknown",
] as const;
export type TerminalOutcome = (typeof TERMINAL_OUTCOMES)[number];

/** Calls that the model proposed. A fingerprint, rung, retryability or failure class in the scope does not narrow them. */
export interface CallCounts {
  readonly calls: number;
  readonly results: number;
  readonly first_accepted: number;
  readonly first_rejected: number;
  /** Rejected first attempts of class `malformed`. */
  readonly first_rejected_parse: number;
  /** Rejected first attempts of class `schema` or `unknown_tool`. */
  readonly first_rejected_schema: number;
  readonly repair_accepted: number;
  readonly repair_rejected: number;
  readonly repair_unknown: number;
  /** Calls with verdict `unknown` that are no repair attempt. */
  readonly unpaired_unknown: number;
  readonly not_validated: number;
  readonly corrected: number;
  readonly against_schema: number;
  readonly inferred_turns: number;
}

/** Rejected calls, narrowed by everything in the scope: numerators only. */
export interface RejectedCounts {
  readonly first: number;
  readonly repair: number;
}

/** Episodes of one kind. All but `opened` and `pending` count settled ones. */
export interface EpisodeCounts {
  readonly opened: number;
  readonly settled: number;
  readonly pending: number;
  readonly repaired: number;
  readonly first_repair: number;
  readonly eventual_repair: number;
  readonly late_repair: number;
  readonly unchanged_repeat: number;
  /** Episodes where `unchanged_repeat` is not null. */
  readonly unchanged_repeat_known: number;
  readonly unchanged_repeat_later: number;
  readonly unchanged_steps: number;
  readonly steps: number;
  readonly targeted_change: number;
  readonly targeted_change_known: number;
  /** The first attempt has the opening call's signature, at any distance within the link window. */
  readonly first_attempt_unchanged: number;
  readonly first_attempt_unchanged_known: number;
  readonly outcomes: Readonly<Record<TerminalOutcome, number>>;
}

/** Settled episodes of any kind whose error said that the same call may work. */
export interface TransientCounts {
  readonly known: number;
  readonly repeated: number;
  readonly pending: number;
}

/** Runs by their first call to the tool in question (their first call, where no tool is). */
export interface CompletionCounts {
  readonly runs: number;
  readonly ended: number;
  /** Ended, and the outcome is known. */
  readonly known: number;
  readonly completed: number;
}

export interface Counts {
  readonly calls: CallCounts;
  readonly rejected: RejectedCounts;
  readonly repair: EpisodeCounts;
  readonly recovery: EpisodeCounts;
  readonly denial: EpisodeCounts;
  readonly transient: TransientCounts;
  readonly completion: CompletionCounts;
}

const NO_CALLS: CallCounts = {
  calls: 0,
  results: 0,
  first_accepted: 0,
  first_rejected: 0,
  first_rejected_parse: 0,
  first_rejected_schema: 0,
  repair_accepted: 0,
  repair_rejected: 0,
  repair_unknown: 0,
  unpaired_unknown: 0,
  not_validated: 0,
  corrected: 0,
  against_schema: 0,
  inferred_turns: 0,
};

const NO_EPISODES: EpisodeCounts = {
  opened: 0,
  settled: 0,
  pending: 0,
  repaired: 0,
  first_repair: 0,
  eventual_repair: 0,
  late_repair: 0,
  unchanged_repeat: 0,
  unchanged_repeat_known: 0,
  unchanged_repeat_later: 0,
  unchanged_steps: 0,
  steps: 0,
  targeted_change: 0,
  targeted_change_known: 0,
  first_attempt_unchanged: 0,
  first_attempt_unchanged_known: 0,
  outcomes: { completed: 0, unsuccessful: 0, escalated: 0, blocked: 0, exhausted: 0, failed: 0, unknown: 0 },
};

/** A group of which nothing was counted. */
export const NO_COUNTS: Counts = {
  calls: NO_CALLS,
  rejected: { first: 0, repair: 0 },
  repair: NO_EPISODES,
  recovery: NO_EPISODES,
  denial: NO_EPISODES,
  transient: { known: 0, repeated: 0, pending: 0 },
  completion: { runs: 0, ended: 0, known: 0, completed: 0 },
};
