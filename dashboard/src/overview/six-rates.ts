import type { RateName } from "../kit/words.ts";

/** What the overview is about, in the order in which a rejected call lives. */
export const SIX_RATES = [
  "first_attempt_validity",
  "first_repair_rate",
  "eventual_repair_rate",
  "unchanged_repeat_rate",
  "retry_failure_rate",
  "completion_rate",
] as const satisfies readonly RateName[];
export type SixRate = (typeof SIX_RATES)[number];
