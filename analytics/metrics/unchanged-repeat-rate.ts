import { defineMetric } from "./metric.ts";

export const unchangedRepeatRate = defineMetric({
  name: "unchanged_repeat_rate",
  title: "Unchanged-repeat rate",
  meaning:
    "How often the model sends the very same call again on its next turn: the error text said nothing it could use.",
  formula:
    "first attempts one turn later with the opening call's signature / settled repair episodes whose signatures can be compared",
  unit: "settled repair episode",
  better: "lower",
  numerator: ({ repair }) => repair.unchanged_repeat,
  denominator: ({ repair }) => repair.unchanged_repeat_known,
  pending: ({ repair }) => repair.pending,
});
