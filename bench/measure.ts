/** Several rounds of one measurement, and how they are told: the median, with the whole spread beside it. */

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly rounds: readonly number[];
}

/** @throws {RangeError} without a round. */
export function spreadOf(rounds: readonly number[]): Spread {
  const sorted = [...rounds].sort((a, b) => a - b);
  const least = sorted[0];
  const most = sorted.at(-1);
  if (least === undefined || most === undefined)
    throw new RangeError("A measurement has at least one round, got none.");
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, least, most, rounds };
}

/** Runs `work`, and says how long it took in milliseconds. */
export async function timed<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly milliseconds: number }> {
  const begun = performance.now();
  const result = await work();
  return { result, milliseconds: performance.now() - begun };
}

/** `1,234`. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** Two significant digits where a number is small, none after the point where it is large: `0.27`, `3.4`, `128`. */
export function short(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** `24,300 (22,900 to 28,500)`. */
export function spreadText(spread: Spread, text: (value: number) => string): string {
  return `${text(spread.median)} (${text(spread.least)} to ${text(spread.most)})`;
}
