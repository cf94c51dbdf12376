/** How the scripted models differ, and what they do after an error (METRICS.md, section 6, *before* and *after*). */

export interface Profile {
  readonly model: string;
  readonly provider: string;
  /** How many times as often as the others it writes a wrong call. */
  readonly slips: number;
  readonly slowness: number;
  /** Whether its provider says how many input tokens came from a cache. */
  readonly reportsCache: boolean;
}

export const PROFILES: Readonly<Record<"large" | "small" | "other", Profile>> = {
  large: { model: "atlas-large", provider: "atlas", slips: 0.8, slowness: 1.3, reportsCache: true },
  small: { model: "atlas-mini", provider: "atlas", slips: 1.4, slowness: 0.7, reportsCache: true },
  other: { model: "sonata-2", provider: "sonata", slips: 1, slowness: 1, reportsCache: false },
};

/** Share of first attempts that a model of slips 1 writes wrongly, by tool and version of its schema. */
export const SLIP_SHARES: Readonly<Record<string, number>> = {
  get_order: 0.07,
  issue_credit: 0.16,
  update_subscription: 0.18,
  "list_transactions@1": 0.28,
  "list_transactions@2": 0.13,
  create_export: 0.16,
  export_status: 0.02,
  track_parcel: 0.03,
};

/**
 * What a model does after its first rejected call: `next` is right the next time, `second` the time after; `escalate`
 * hands over to a person after one more wrong call; `repeat` sends the same call until it is stopped.
 */
export type Reaction = "next" | "second" | "escalate" | "repeat";

export const UNTAUGHT: readonly (readonly [Reaction, number])[] = [
  ["next", 40],
  ["second", 30],
  ["escalate", 15],
  ["repeat", 15],
];

export const TAUGHT: readonly (readonly [Reaction, number])[] = [
  ["next", 85],
  ["second", 5],
  ["escalate", 5],
  ["repeat", 5],
];

/** After it did what the text said, and that was refused too. */
export const MISLED: readonly (readonly [Reaction, number])[] = [
  ["next", 20],
  ["escalate", 50],
  ["repeat", 30],
];

/** Share of models that send what a text shows as it stands; the others take the lesson and write the call themselves. */
export const COPIES = 0.8;

/** Share of calls that are sent again as they were, after a text that says whether a retry can help and after one that does not. */
export const REPEATS = {
  unavailable: { taught: 0.92, untaught: 0.6 },
  denied: { taught: 0.04, untaught: 0.4 },
} as const;
