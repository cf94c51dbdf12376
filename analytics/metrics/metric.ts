import type { Counts } from "./counts.ts";

/** One rate: what it is called, what it means, and which counts it is made of. METRICS.md section 3 defines them. */
export interface Metric<Name extends string = string> {
  readonly name: Name;
  readonly title: string;
  /** One sentence for the reader: what a high or low value says of the tool. */
  readonly meaning: string;
  /** Numerator and denominator in words. */
  readonly formula: string;
  /** What one of the denominator is: `repair episode`. */
  readonly unit: string;
  /** Which direction is good; `null` where neither is, and no tool is then the worst. */
  readonly better: "higher" | "lower" | null;
  numerator(counts: Counts): number;
  denominator(counts: Counts): number;
  /** Episodes (for `completion_rate`: runs) that the denominator leaves out because they are not settled. */
  pending(counts: Counts): number;
}

/** Keeps the literal name, so that answers can be typed by it. */
export function defineMetric<const Name extends string>(metric: Metric<Name>): Metric<Name> {
  return metric;
}

/** Calls count as soon as their verdict is known: nothing of a call rate is pending. */
export const NOTHING_PENDING = (): number => 0;
