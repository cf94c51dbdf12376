import { type Counts, TERMINAL_OUTCOMES } from "../metrics/counts.ts";
import { measure, RATES } from "../metrics/index.ts";
import type { Metric } from "../metrics/metric.ts";
import { TERMINAL_METRICS } from "../metrics/terminal-outcomes.ts";
import { type Rate, share } from "../statistics/rate.ts";
import type { Measured } from "./answer.ts";
import { byName } from "./by-name.ts";
import type { CountedGroup } from "./counts.ts";

/** Every rate of a group, with what may never be left out beside it. */
export function measured(counts: Counts): Measured {
  const rates = Object.fromEntries(RATES.map((metric) => [metric.name, measure(metric, counts)]));
  return {
    rates: rates as Measured["rates"],
    terminal_outcomes: byName(TERMINAL_OUTCOMES, (outcome) =>
      measure(TERMINAL_METRICS[TERMINAL_OUTCOMES.indexOf(outcome)]!, counts),
    ),
    outcomes_known: share(counts.completion.known, counts.completion.ended),
    inferred_turns: share(counts.calls.inferred_turns, counts.calls.calls),
  };
}

/** The rates of a whole, its rows per risk class, and the worst tool of each rate. */
export function measuredWhole(group: CountedGroup, isOneTool: boolean) {
  return {
    ...measured(group.counts),
    by_risk: group.risks.map(({ risk, counts }) => ({ risk, ...measured(counts) })),
    worst_tool: isOneTool
      ? null
      : byName(
          RATES.map(({ name }) => name),
          (name) => worstTool(RATES.find((metric) => metric.name === name)!, group.tools),
        ),
  };
}

/**
 * The tool that is most surely bad by a metric: the one whose interval's good end is worst, so that a tool with one call
 * does not stand before one with a thousand. Ties by more evidence, then by name. Null without evidence.
 */
function worstTool(
  metric: Metric,
  tools: CountedGroup["tools"],
): { readonly tool: string; readonly rate: Rate } | null {
  if (metric.better === null) return null;
  const sign = metric.better === "higher" ? 1 : -1;
  const goodEnd = ({ interval }: Rate): number =>
    interval === null ? Number.POSITIVE_INFINITY : sign * (metric.better === "higher" ? interval.high : interval.low);
  const candidates = tools
    .map(({ tool, counts }) => ({ tool, rate: measure(metric, counts) }))
    .filter(({ rate }) => rate.value !== null)
    .sort(
      (a, b) =>
        goodEnd(a.rate) - goodEnd(b.rate) || b.rate.denominator - a.rate.denominator || (a.tool < b.tool ? -1 : 1),
    );
  return candidates[0] ?? null;
}
