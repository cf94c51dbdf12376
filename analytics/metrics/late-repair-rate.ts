import { defineMetric } from "./metric.ts";

export const lateRepairRate = defineMetric({
  name: "late_repair_rate",
  title: "Late-repair rate",
  meaning: "How often the call is repaired only after the eventual window; beside the eventual rate, never inside it.",
  formula: "episodes repaired later than E model turns / settled repair episodes",
  unit: "settled repair episode",
  better: "lower",
  numerator: ({ repair }) => repair.late_repair,
  denominator: ({ repair }) => repair.settled,
  pending: ({ repair }) => repair.pending,
});
