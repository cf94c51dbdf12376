/**
 * A linear scale. d3-scale's does the same with colours, number formats and interpolation of anything in tow: 10 kB of
 * the script's budget for a multiplication.
 */
export interface LinearScale {
  (value: number): number;
  readonly invert: (place: number) => number;
}

export function linearScale(domain: readonly [number, number], range: readonly [number, number]): LinearScale {
  const [from, to] = domain;
  const [start, end] = range;
  const slope = to === from ? 0 : (end - start) / (to - from);
  const scale = (value: number) => start + (value - from) * slope;
  const invert = (place: number) => (slope === 0 ? from : from + (place - start) / slope);
  return Object.assign(scale, { invert });
}

/** The least of 1, 2, 4, 6, 8, 10, 20, 40, 60, ... that is not under the count: the half is whole too, but for 1. */
export function roundUp(count: number): number {
  for (let power = 1; ; power *= 10) {
    const found = [1, 2, 4, 6, 8].find((step) => step * power >= count);
    if (found !== undefined) return found * power;
  }
}
