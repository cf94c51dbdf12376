import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bucketEnd, bucketStart, coverOf, type Interval } from "../../../analytics/questions/interval.ts";
import { percentile } from "../../../analytics/questions/percentile.ts";

const at = (text: string) => new Date(`2026-03-${text}:00Z`);
const parts = ({ from, to }: Interval) => [from?.toISOString().slice(8, 16), to?.toISOString().slice(8, 16)];

describe("the cover of an interval", () => {
  test("is days, hours at their edges, and minutes at the edges of those", () => {
    const cover = coverOf({ from: at("01T22:30"), to: at("04T01:15") }, "whole");
    expect(cover.days.map(parts)).toEqual([["02T00:00", "04T00:00"]]);
    expect(cover.hours.map(parts)).toEqual([
      ["01T23:00", "02T00:00"],
      ["04T00:00", "04T01:00"],
    ]);
    expect(cover.minutes.map(parts)).toEqual([
      ["01T22:30", "01T23:00"],
      ["04T01:00", "04T01:15"],
    ]);
  });

  test("has no rollup within one hour, and only hours where the answer is divided by hour", () => {
    expect(coverOf({ from: at("01T22:10"), to: at("01T22:50") }, "whole")).toMatchObject({
      days: [],
      hours: [],
      rolled: null,
    });
    const byHour = coverOf({ from: at("01T22:30"), to: at("04T01:00") }, "hour");
    expect(byHour.days).toEqual([]);
    expect(byHour.hours.map(parts)).toEqual([["01T23:00", "04T01:00"]]);
    expect(byHour.minutes.map(parts)).toEqual([["01T22:30", "01T23:00"]]);
  });

  test("holds every minute of the interval once and no other, and days and hours are whole", () => {
    const minute = fc.integer({ min: 0, max: 5 * 24 * 60 }).map((minutes) => new Date(minutes * 60_000));
    const grain = fc.constantFrom("whole", "day", "hour", "minute");
    fc.assert(
      fc.property(fc.option(minute), fc.option(minute), minute, grain, (from, to, moment, grain) => {
        fc.pre(from === null || to === null || from < to);
        const holds = (part: Interval) =>
          (part.from === null || moment >= part.from) && (part.to === null || moment < part.to);
        const { days, hours, rolled, minutes } = coverOf({ from, to }, grain);
        const holding = [...days, ...hours, ...minutes].filter(holds).length;
        expect(holding).toBe(holds({ from, to }) ? 1 : 0);
        expect(rolled !== null && holds(rolled)).toBe([...days, ...hours].some(holds));
        for (const [bucket, found] of [
          ["day", days],
          ["hour", hours],
        ] as const) {
          for (const end of found.flatMap((part) => [part.from, part.to])) {
            if (end !== null) expect(bucketStart(end, bucket)).toEqual(end);
          }
        }
      }),
    );
  });

  test("a bucket ends where the next begins", () => {
    expect(bucketStart(at("01T22:30"), "hour")).toEqual(at("01T22:00"));
    expect(bucketEnd(at("01T22:30"), "hour")).toEqual(at("01T23:00"));
    expect(bucketEnd(at("01T22:30"), "day")).toEqual(at("02T00:00"));
  });
});

describe("a percentile", () => {
  test("of weighted values is the value that stands there when each is written out as often as it occurred", () => {
    const values = fc.array(fc.record({ value: fc.nat(9), weight: fc.integer({ min: 1, max: 5 }) }), { minLength: 1 });
    fc.assert(
      fc.property(values, fc.constantFrom(0, 0.1, 0.5, 0.9, 1), (weighted, fraction) => {
        const written = weighted
          .flatMap(({ value, weight }) => Array<number>(weight).fill(value))
          .sort((a, b) => a - b);
        const expected = written.find(
          (value) => written.filter((other) => other <= value).length >= fraction * written.length,
        );
        expect(percentile(weighted, fraction)).toBe(expected);
      }),
    );
  });

  test("of nothing is null", () => {
    expect(percentile([], 0.5)).toBeNull();
  });
});
