/** Bounds of a proportion, from 0 to 1, and how they were made. */
export interface Interval {
  readonly low: number;
  readonly high: number;
  /** Share of such intervals that hold the true proportion: 0.95. */
  readonly level: number;
  readonly method: string;
}

/** The 0.975 quantile of the standard normal distribution: 95 %, both sides. */
const Z_95 = 1.959963984540054;

/**
 * The 95 % Wilson score interval of `numerator` in `denominator` independent trials, fixed-time.
 *
 * centre = (p + z²/2n) / (1 + z²/n), half = z / (1 + z²/n) · √(p(1−p)/n + z²/4n²); the lower bound is exactly 0 at
 * x = 0 and the upper exactly 1 at x = n (STATISTICS.md section 1 (a); Newcombe 1998, method 3).
 *
 * @param numerator events, 0 ≤ x ≤ n
 * @param denominator trials; 0 gives `null`: no evidence
 */
export function wilson(numerator: number, denominator: number): Interval | null {
  if (denominator === 0) return null;
  const p = numerator / denominator;
  const z2 = (Z_95 * Z_95) / denominator;
  const centre = (p + z2 / 2) / (1 + z2);
  const half = (Z_95 / (1 + z2)) * Math.sqrt((p * (1 - p)) / denominator + z2 / (4 * denominator));
  return {
    low: numerator === 0 ? 0 : centre - half,
    high: numerator === denominator ? 1 : centre + half,
    level: 0.95,
    method: "wilson",
  };
}
