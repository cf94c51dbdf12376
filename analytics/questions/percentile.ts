/** A value and how often it occurred. */
export interface Weighted {
  readonly value: number;
  /** Above 0. */
  readonly weight: number;
}

/**
 * The discrete percentile: the least value that at least `fraction` of all occurrences do not exceed, as `percentile_disc`
 * of Postgres has it. Null where nothing occurred.
 */
export function percentile(values: readonly Weighted[], fraction: number): number | null {
  const total = values.reduce((sum, { weight }) => sum + weight, 0);
  const sorted = [...values].sort((a, b) => a.value - b.value);
  // At least one occurrence: the percentile of fraction 0 is the least value.
  const needed = Math.max(1, Math.ceil(fraction * total));
  let seen = 0;
  for (const { value, weight } of sorted) {
    seen += weight;
    if (seen >= needed) return value;
  }
  return null;
}
