import { defineMetric } from "./metric.ts";

export const completionRate = defineMetric({
  name: "completion_rate",
  title: "Completion rate",
  meaning:
    "How often a run that called the tool achieved its task; the share of runs whose outcome is known travels with it.",
  formula: "completed runs / ended runs that called the tool and whose outcome is known",
  unit: "ended run with a known outcome",
  better: "higher",
  numerator: ({ completion }) => completion.completed,
  denominator: ({ completion }) => completion.known,
  pending: ({ completion }) => completion.runs - completion.ended,
});
