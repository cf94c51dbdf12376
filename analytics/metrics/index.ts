/** The registry: every rate that the product shows, once. API, CLI and docs/metrics.md read it. */
import { type Rate, rate } from "../statistics/rate.ts";
import { completionRate } from "./completion-rate.ts";
import type { Counts } from "./counts.ts";
import { eventualRepairRate } from "./eventual-repair-rate.ts";
import { firstAttemptFailureRate } from "./first-attempt-failure-rate.ts";
import {
  firstAttemptValidity,
  firstAttemptValidityParse,
  firstAttemptValiditySchema,
  firstAttemptValidityTool,
} from "./first-attempt-validity.ts";
import { firstRepairRate } from "./first-repair-rate.ts";
import { lateRepairRate } from "./late-repair-rate.ts";
import type { Metric } from "./metric.ts";
import { repeatAfterDenialRate } from "./repeat-after-denial-rate.ts";
import { retryFailureRate } from "./retry-failure-rate.ts";
import { targetedChangeRate } from "./targeted-change-rate.ts";
import { TERMINAL_METRICS, type TerminalMetricName } from "./terminal-outcomes.ts";
import { transientRepeatRate } from "./transient-repeat-rate.ts";
import { unchangedRepeatRate } from "./unchanged-repeat-rate.ts";
import { unchangedStepRate } from "./unchanged-step-rate.ts";

/** Rates other than the terminal outcomes, in the order in which they are read. */
export const RATES = [
  firstAttemptValidity,
  firstAttemptValidityParse,
  firstAttemptValiditySchema,
  firstAttemptValidityTool,
  firstAttemptFailureRate,
  retryFailureRate,
  firstRepairRate,
  eventualRepairRate,
  lateRepairRate,
  unchangedRepeatRate,
  unchangedStepRate,
  targetedChangeRate,
  transientRepeatRate,
  repeatAfterDenialRate,
  completionRate,
] as const;

export type RateName = (typeof RATES)[number]["name"];
export type MetricName = RateName | TerminalMetricName;

export const METRICS: readonly Metric<MetricName>[] = [...RATES, ...TERMINAL_METRICS];

/** Rates that METRICS.md defines and that are not answered yet, with what they wait for. */
export const LEFT_OUT: readonly { readonly name: string; readonly waitsFor: string }[] = [
  { name: "delivery_rate", waitsFor: "emitters that show the next model request" },
  { name: "undeclared_argument_rate", waitsFor: "counts of undeclared arguments in the linked rows" },
  { name: "empty_result_rate", waitsFor: "counts of result sizes in the linked rows" },
  { name: "truncated_result_rate", waitsFor: "counts of result sizes in the linked rows" },
  { name: "follow_up_rate", waitsFor: "linking of continuations" },
  { name: "completed_with_evidence_rate", waitsFor: "linking of continuations" },
  { name: "premature_completion_rate", waitsFor: "linking of continuations" },
  { name: "duplicate_while_open_rate", waitsFor: "linking of continuations" },
  { name: "definition cost", waitsFor: "toolsets with their tokens" },
  { name: "money", waitsFor: "a price table per model and day" },
];

/** One metric of one group, with its interval. */
export function measure(metric: Metric, counts: Counts): Rate {
  return rate({
    numerator: metric.numerator(counts),
    denominator: metric.denominator(counts),
    pending: metric.pending(counts),
  });
}

/** The registry as Markdown, for docs/metrics.md. */
export function metricsMarkdown(): string {
  const rows = METRICS.map(
    ({ name, meaning, formula, better }) => `| \`${name}\` | ${meaning} | ${formula} | ${better ?? "neither"} |`,
  );
  const leftOut = LEFT_OUT.map(({ name, waitsFor }) => `| \`${name}\` | ${waitsFor} |`);
  return [
    "# Metrics",
    "",
    "Generated from `analytics/metrics/` by `npm run docs`. Each rate is answered as numerator, denominator, value, 95 %",
    "Wilson interval and pending. A denominator of 0 gives `null`: no evidence is neither 0 nor 100 %. Repair rates never",
    "stand without the terminal outcomes. `E` is the eventual window and `W` the link window, in model turns; every answer",
    "states both.",
    "",
    "A fingerprint, rung, retryability or failure class in a question narrows rejected calls and episodes, never the first",
    "attempts or repair attempts that they are counted among.",
    "",
    "| name | what it says | numerator / denominator | better |",
    "|---|---|---|---|",
    ...rows,
    "",
    "## Not answered yet",
    "",
    "| name | waits for |",
    "|---|---|",
    ...leftOut,
    "",
  ].join("\n");
}
