import { describe, expect, test } from "vitest";
import {
  formatCount,
  formatCountOf,
  formatDuration,
  formatRate,
  formatShare,
  formatTime,
  formatTokens,
} from "../../../analytics/client/format.ts";
import { rate, share } from "../../../analytics/statistics/rate.ts";

describe("a number as text", () => {
  test("a rate is n of N with its interval, and what is pending", () => {
    expect(formatRate(rate({ numerator: 38, denominator: 44, pending: 0, units: 40 }))).toBe(
      "38 of 44 (86.4 %, 95 % CI 73.3–93.6)",
    );
    expect(formatRate(rate({ numerator: 0, denominator: 1_000, pending: 1_200, units: 1 }))).toBe(
      "0 of 1,000 (0.0 %, 95 % CI 0.0–0.4), 1,200 pending",
    );
  });

  test("no evidence is said, never shown as 0 %", () => {
    expect(formatRate(rate({ numerator: 0, denominator: 0, pending: 2, units: 0 }))).toBe("no evidence, 2 pending");
    expect(formatShare(share(0, 0))).toBe("no evidence");
  });

  test("counts have thousands, and one is singular", () => {
    expect(formatCount(23_712_000)).toBe("23,712,000");
    expect(formatCount(7 / 3)).toBe("2.33");
    expect(formatCountOf(1, "episode")).toBe("1 episode");
    expect(formatCountOf(0, "run waits", "runs wait")).toBe("0 runs wait");
  });

  test.each([
    [0, "0 ms"],
    [640.4, "640 ms"],
    [1_140, "1.14 s"],
    [725_000, "12 min 5 s"],
    [4_158_720, "1 h 9 min"],
    [3_599_700, "1 h 0 min"],
    [59_999, "1 min 0 s"],
  ])("%d ms is %s", (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });

  test("what was not reported is said, never shown as 0", () => {
    expect(formatDuration(null)).toBe("not reported");
    expect(formatTokens(null, "output")).toBe("output tokens not reported");
    expect(formatTokens(0, "output")).toBe("0 output tokens");
  });

  test("times are UTC and say so", () => {
    expect(formatTime("2026-03-10T12:00:30.000Z")).toBe("2026-03-10 12:00 UTC");
  });
});
