import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rate, share } from "../../../analytics/statistics/rate.ts";
import { wilson } from "../../../analytics/statistics/wilson.ts";

/** Newcombe 1998 (Stat Med 17:857–872), method 3, computed independently; R prop.test(81, 263, correct = FALSE) agrees. */
const GOLDEN = [
  [81, 263, 0.2552885198782742, 0.36620957698280004],
  [15, 148, 0.0623863995307363, 0.16048724172330803],
  [0, 20, 0, 0.16112515805281938],
  [1, 29, 0.006113214292762653, 0.17175521879320288],
  [29, 29, 0.8830302015002593, 1],
  [5, 9, 0.2666512934954931, 0.8112214789023354],
] as const;

describe("the Wilson interval", () => {
  test.each(GOLDEN)("of %i in %i equals the published bounds to 1e-9", (numerator, denominator, low, high) => {
    const interval = wilson(numerator, denominator);
    expect(interval?.low).toBeCloseTo(low, 9);
    expect(interval?.high).toBeCloseTo(high, 9);
  });

  test("is exactly 0 below at no event and exactly 1 above at nothing but events", () => {
    for (const n of [1, 3, 7, 1_000_003]) {
      expect(wilson(0, n)?.low).toBe(0);
      expect(wilson(n, n)?.high).toBe(1);
    }
  });

  test("is null without evidence", () => {
    expect(wilson(0, 0)).toBeNull();
  });

  test("holds the proportion and stays within 0 and 1", () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.nat(10_000), (a, b) => {
        const [numerator, denominator] = [Math.min(a, b), Math.max(a, b, 1)];
        const { low, high } = wilson(numerator, denominator)!;
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(numerator / denominator);
        expect(high).toBeGreaterThanOrEqual(numerator / denominator);
      }),
    );
  });
});

describe("a rate", () => {
  test("of nothing is null in value and interval, and keeps its pending count", () => {
    expect(rate({ numerator: 0, denominator: 0, pending: 3 })).toEqual({
      ...{ numerator: 0, denominator: 0, value: null, interval: null, pending: 3 },
    });
  });

  test.each([
    [2, 1],
    [-1, 1],
    [Number.NaN, 1],
  ])("of %d in %d is a fault in the counting, never an answer", (numerator, denominator) => {
    expect(() => share(numerator, denominator)).toThrow(RangeError);
  });
});
