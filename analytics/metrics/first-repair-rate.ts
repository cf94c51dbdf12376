import { defineMetric } from "./metric.ts";

export const firstRepairRate = defineMetric({
  name: "first_repair_rate",
  title: "First-repair rate",
  meaning: "How often the model's next turn repairs the call: the error text taught it.",
  formula: "episodes repaired exactly one model turn later / settled repair episodes",
  unit: "settled repair episode",
  better: "higher",
  numerator: ({ repair }) => repair.first_repair,
  denominator: ({ repair }) => repair.settled,
  pending: ({ repair }) => repair.pending,
});
