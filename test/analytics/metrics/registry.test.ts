import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Counts, NO_COUNTS } from "../../../analytics/metrics/counts.ts";
import { LEFT_OUT, METRICS, measure, metricsMarkdown } from "../../../analytics/metrics/index.ts";

const shared = process.env.MULLIGAN_SHARED ?? new URL("../../../../shared", import.meta.url).pathname;
const contract = `${shared}/design/METRICS.md`;
if (!existsSync(contract))
  process.stdout.write("skipped: METRICS.md is not here, so its table is not compared with the registry\n");

/** Counts in which every part is at most its whole, as the questions give them. */
function countsOf(base: number): Counts {
  const episodes = { ...NO_COUNTS.repair, opened: 8 * base, settled: 7 * base, pending: base, repaired: 4 * base };
  const kind = {
    ...episodes,
    ...{ first_repair: base, eventual_repair: 2 * base, late_repair: base },
    ...{ unchanged_repeat: base, unchanged_repeat_known: 6 * base, unchanged_steps: base, steps: 3 * base },
    ...{ targeted_change: base, targeted_change_known: 2 * base },
    ...{ first_attempt_unchanged: base, first_attempt_unchanged_known: 6 * base },
    outcomes: { ...NO_COUNTS.repair.outcomes, completed: 2 * base, failed: 4 * base, unknown: base },
  };
  return {
    ...NO_COUNTS,
    calls: {
      ...NO_COUNTS.calls,
      ...{
        first_accepted: 90 * base,
        first_rejected: 10 * base,
        first_rejected_parse: base,
        first_rejected_schema: 4 * base,
      },
      ...{ repair_accepted: 6 * base, repair_rejected: 5 * base },
    },
    rejected: { first: 10 * base, repair: 5 * base },
    repair: kind,
    recovery: kind,
    denial: kind,
    transient: { known: 3 * base, repeated: base, pending: base },
    completion: { runs: 10 * base, ended: 9 * base, known: 8 * base, completed: 5 * base },
  };
}

describe("the registry", () => {
  test("names every metric once", () => {
    const names = METRICS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test("gives null for no evidence, never 0 or 100 %", () => {
    for (const metric of METRICS)
      expect(measure(metric, NO_COUNTS), metric.name).toMatchObject({ value: null, interval: null });
  });

  test("gives a rate from 0 to 1 for every metric whatever the counts", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), (base) => {
        for (const metric of METRICS) {
          const { value, denominator } = measure(metric, countsOf(base));
          expect(denominator, metric.name).toBeGreaterThan(0);
          expect(value, metric.name).toBeGreaterThanOrEqual(0);
          expect(value, metric.name).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test("the stages of validity multiply to validity", () => {
    const value = (name: string) => measure(METRICS.find((metric) => metric.name === name)!, countsOf(3)).value!;
    const stages = ["parse", "schema", "tool"].map((stage) => value(`first_attempt_validity_${stage}`));
    expect(stages.reduce((product, stage) => product * stage, 1)).toBeCloseTo(value("first_attempt_validity"), 12);
  });

  test("the terminal outcomes add up to the settled repair episodes", () => {
    const counts = countsOf(2);
    const terminal = METRICS.filter(({ name }) => name.startsWith("terminal_"));
    expect(terminal).toHaveLength(7);
    expect(terminal.reduce((sum, metric) => sum + metric.numerator(counts), 0)).toBe(counts.repair.settled);
  });

  test("stands in the generated page with name, meaning and formula, and so does what is left out", () => {
    const page = metricsMarkdown();
    for (const { name, meaning, formula } of METRICS) {
      expect(page).toContain(`| \`${name}\` | ${meaning} | ${formula} |`);
    }
    for (const { name } of LEFT_OUT) expect(page).toContain(`\`${name}\``);
  });

  test.skipIf(!existsSync(contract))("answers or lists as left out every rate that the contract defines", () => {
    const section = /## 3\. Rates([\s\S]*?)\*\*Continuations/.exec(readFileSync(contract, "utf8"))![1]!;
    const defined = [...section.matchAll(/^\|((?: `[a-z_<>]+`,?)+) \|/gm)].flatMap((row) =>
      [...row[1]!.matchAll(/`([a-z_<>]+)`/g)].map((name) => name[1]!),
    );
    expect(defined.length).toBeGreaterThan(15);
    const known = new Set([...METRICS, ...LEFT_OUT].map(({ name }) => name));
    expect(defined.filter((name) => name !== "terminal_<outcome>" && !known.has(name))).toEqual([]);
  });
});
