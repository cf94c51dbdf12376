import { expect, test } from "vitest";
import { fractionOf, seeded } from "../../demo/random.ts";

const DRAWS = 20_000;

test("the same seed gives the same numbers, another seed other ones", () => {
  const numbers = (seed: string) => Array.from({ length: 50 }, seeded(seed).next);
  expect(numbers("7")).toEqual(numbers("7"));
  expect(numbers("7")).not.toEqual(numbers("8"));
});

test("numbers are spread evenly from 0 up to, and without, 1", () => {
  const { next } = seeded("even");
  const tenths = new Array<number>(10).fill(0);
  for (let draw = 0; draw < DRAWS; draw += 1) tenths[Math.floor(next() * 10)]! += 1;
  for (const count of tenths) expect(Math.abs(count - DRAWS / 10)).toBeLessThan(250);
});

test("a weighted choice comes as often as its weight has it, one of weight 0 never", () => {
  const random = seeded("weights");
  const counts = { often: 0, seldom: 0, never: 0 };
  for (let draw = 0; draw < DRAWS; draw += 1) {
    counts[
      random.weighted<keyof typeof counts>([
        ["often", 3],
        ["never", 0],
        ["seldom", 1],
      ])
    ] += 1;
  }
  expect(counts.never).toBe(0);
  expect(counts.often / DRAWS).toBeCloseTo(0.75, 1);
});

test("whole numbers reach both bounds and no further", () => {
  const random = seeded("bounds");
  const drawn = new Set(Array.from({ length: 500 }, () => random.whole(2, 5)));
  expect([...drawn].toSorted()).toEqual([2, 3, 4, 5]);
});

test("a text stands at the same place between 0 and 1 every time, and many texts stand evenly", () => {
  expect(fractionOf("run-1")).toBe(fractionOf("run-1"));
  const below = Array.from({ length: DRAWS }, (_, index) => fractionOf(`run-${index}`)).filter((at) => at < 0.2);
  expect(below.length / DRAWS).toBeCloseTo(0.2, 2);
});
