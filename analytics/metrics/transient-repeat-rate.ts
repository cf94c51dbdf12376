import { defineMetric } from "./metric.ts";

export const transientRepeatRate = defineMetric({
  name: "transient_repeat_rate",
  title: "Transient-repeat rate",
  meaning:
    "How often the model repeats a call whose error said that the same call may work: here a repeat is the right answer.",
  formula:
    "episodes whose first attempt is unchanged, at any distance within W / settled episodes of any kind with retryability as_is",
  unit: "settled episode, retryability as_is",
  better: "higher",
  numerator: ({ transient }) => transient.repeated,
  denominator: ({ transient }) => transient.known,
  pending: ({ transient }) => transient.pending,
});
