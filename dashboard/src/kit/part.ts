/**
 * Two counts of one answer as part and whole: how wide a bar is, and what share of the stage before a stage is. Rates
 * are never made here: they come from the service, with their intervals.
 */
export interface Part {
  readonly numerator: number;
  readonly denominator: number;
  /** null where there is no whole: no evidence is neither 0 nor 1. */
  readonly value: number | null;
}

export function partOf(numerator: number, denominator: number): Part {
  return { numerator, denominator, value: denominator === 0 ? null : numerator / denominator };
}

/** `38.4%` of a chart's width; nothing of nothing is no width. */
export function widthOf(numerator: number, denominator: number): string {
  return `${(partOf(numerator, denominator).value ?? 0) * 100}%`;
}
