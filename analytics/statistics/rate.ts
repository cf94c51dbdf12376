import { type Interval, wilson } from "./wilson.ts";

/** Part of a whole, without a claim about anything beyond what was counted. */
export interface Share {
  readonly numerator: number;
  readonly denominator: number;
  /** `null` where the denominator is 0: no evidence is neither 0 nor 1. */
  readonly value: number | null;
}

/** A proportion with its counts, its interval, and what it leaves out. */
export interface Rate extends Share {
  readonly interval: Interval | null;
  /** How many episodes or runs would belong to the denominator and are not settled yet. */
  readonly pending: number;
}

export interface RateCounts {
  readonly numerator: number;
  readonly denominator: number;
  readonly pending: number;
}

/**
 * The one division of the product.
 *
 * Throws a RangeError where the counts are no part of a whole: a rate above 1 is a fault in the counting, never an
 * answer.
 */
export function share(numerator: number, denominator: number): Share {
  if (!(numerator >= 0 && numerator <= denominator)) {
    throw new RangeError(`no share: ${numerator} of ${denominator}; expected 0 ≤ numerator ≤ denominator`);
  }
  return { numerator, denominator, value: denominator === 0 ? null : numerator / denominator };
}

/** A share with its 95 % Wilson interval and the pending count. */
export function rate(counts: RateCounts): Rate {
  return {
    ...share(counts.numerator, counts.denominator),
    interval: wilson(counts.numerator, counts.denominator),
    pending: counts.pending,
  };
}
