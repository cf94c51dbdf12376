import { TERMINAL_OUTCOMES, type TerminalOutcome } from "./counts.ts";
import { defineMetric, type Metric } from "./metric.ts";

/** How the runs of settled repair episodes ended: what a repair rate may never be shown without. */
export type TerminalMetricName = `terminal_${TerminalOutcome}`;

const ENDS: Readonly<Record<TerminalOutcome, string>> = {
  completed: "the task was achieved",
  unsuccessful: "the run ended and the task was not achieved",
  escalated: "the run was handed to a person",
  blocked: "policy or a permission stopped the run",
  exhausted: "a budget of turns, tokens, time or money ran out",
  failed: "the run crashed",
  unknown: "nobody reported how the run ended; never counted as completed, and never as not completed",
};

function terminal(outcome: TerminalOutcome): Metric<TerminalMetricName> {
  return defineMetric({
    name: `terminal_${outcome}`,
    title: `Terminal outcome: ${outcome}`,
    meaning: `How often a run with a rejected call ended so: ${ENDS[outcome]}.`,
    formula: `episodes of runs with outcome ${outcome} / settled repair episodes`,
    unit: "settled repair episode",
    better: outcome === "unknown" ? null : outcome === "completed" ? "higher" : "lower",
    numerator: ({ repair }) => repair.outcomes[outcome],
    denominator: ({ repair }) => repair.settled,
    pending: ({ repair }) => repair.pending,
  });
}

export const TERMINAL_METRICS: readonly Metric<TerminalMetricName>[] = TERMINAL_OUTCOMES.map(terminal);
