import { defineMetric } from "./metric.ts";

export const unchangedStepRate = defineMetric({
  name: "unchanged_step_rate",
  title: "Unchanged-step rate",
  meaning: "How often any rejected call of an episode is followed by the same call one turn later.",
  formula: "unchanged steps / rejected calls of settled repair episodes that have a next attempt",
  unit: "rejected call with a next attempt",
  better: "lower",
  numerator: ({ repair }) => repair.unchanged_steps,
  denominator: ({ repair }) => repair.steps,
  pending: ({ repair }) => repair.pending,
});
