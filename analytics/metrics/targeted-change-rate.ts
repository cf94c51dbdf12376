import { defineMetric } from "./metric.ts";

export const targetedChangeRate = defineMetric({
  name: "targeted_change_rate",
  title: "Targeted-change rate",
  meaning: "How often the first attempt changes the very parameter that the error named.",
  formula: "episodes whose first attempt changed the named parameter / settled repair episodes where that can be told",
  unit: "settled repair episode",
  better: "higher",
  numerator: ({ repair }) => repair.targeted_change,
  denominator: ({ repair }) => repair.targeted_change_known,
  pending: ({ repair }) => repair.pending,
});
