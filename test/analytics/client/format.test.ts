import { describe, expect, test } from "vitest";
import {
  formatAge,
  formatCompact,
  formatCount,
  formatCountOf,
  formatDay,
  formatDuration,
  formatHour,
  formatInterval,
  formatMinute,
  formatOf,
  formatPercent,
  formatRate,
  formatShare,
  formatTime,
  formatTokens,
} from "../../../analytics/client/format.ts";
import { rate, share } from "../../../analytics/statistics/rate.ts";

describe("a number as text", () => {
  test("a rate is n of N with its interval, and what is pending", () => {
    expect(formatRate(rate({ numerator: 38, denominator: 44, pending: 0 }))).toBe(
      "38 of 44 (86.4 %, 95 % CI 73.3–93.6)",
    );
    expect(formatRate(rate({ numerator: 0, denominator: 1_000, pending: 1_200 }))).toBe(
      "0 of 1,000 (0.0 %, 95 % CI 0.0–0.4), 1,200 pending",
    );
  });

  test("no evidence is said, never shown as 0 %", () => {
    expect(formatRate(rate({ numerator: 0, denominator: 0, pending: 2 }))).toBe("no evidence, 2 pending");
    expect(formatShare(share(0, 0))).toBe("no evidence");
  });

  test("counts have thousands, and one is singular", () => {
    expect(formatCount(23_712_000)).toBe("23,712,000");
    expect(formatCount(7 / 3)).toBe("2.33");
    expect(formatCountOf(1, "episode")).toBe("1 episode");
    expect(formatCountOf(0, "run waits", "runs wait")).toBe("0 runs wait");
  });

  test("where room is short, its parts stand apart, and no evidence is still said", () => {
    const { value, interval, ...rest } = rate({ numerator: 38, denominator: 44, pending: 0 });
    expect([formatOf(rest), formatPercent(value), formatInterval(interval)]).toEqual([
      "38 of 44",
      "86.4 %",
      "73.3–93.6 %",
    ]);
    expect([formatPercent(null), formatInterval(null)]).toEqual(["no evidence", "no evidence"]);
  });

  test.each([
    [0, "0"],
    [999, "999"],
    [12_345, "12.3k"],
    [1_000_000, "1M"],
    [7 / 3, "2.33"],
  ])("%d is %s where it is compact", (count, text) => {
    expect(formatCompact(count)).toBe(text);
  });

  test.each([
    [0, "just now"],
    [12_900, "12 s ago"],
    [61_000, "1 min ago"],
    [3_600_000, "1 h ago"],
    [47 * 3_600_000, "47 h ago"],
    [72 * 3_600_000, "3 days ago"],
    [-5_000, "just now"],
  ])("a moment %d ms before is %s", (milliseconds, text) => {
    const now = new Date("2026-03-10T12:00:00Z");
    expect(formatAge(new Date(now.getTime() - milliseconds).toISOString(), now)).toBe(text);
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

  test("ticks of an axis that says UTC leave out what every tick has", () => {
    const time = "2026-03-10T12:05:30.000Z";
    expect([formatDay(time), formatHour(time), formatMinute(time)]).toEqual(["2026-03-10", "03-10 12:05", "12:05"]);
  });
});
