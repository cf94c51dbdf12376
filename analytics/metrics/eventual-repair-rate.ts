import { defineMetric } from "./metric.ts";

export const eventualRepairRate = defineMetric({
  name: "eventual_repair_rate",
  title: "Eventual-repair rate",
  meaning: "How often the call is repaired within the eventual window, first repairs included.",
  formula: "episodes repaired within E model turns / settled repair episodes",
  unit: "settled repair episode",
  better: "higher",
  numerator: ({ repair }) => repair.eventual_repair,
  denominator: ({ repair }) => repair.settled,
  pending: ({ repair }) => repair.pending,
});
