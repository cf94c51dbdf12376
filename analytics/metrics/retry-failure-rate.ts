import { defineMetric, NOTHING_PENDING } from "./metric.ts";

export const retryFailureRate = defineMetric({
  name: "retry_failure_rate",
  title: "Retry failure rate",
  meaning: "How often a call that the error text was meant to teach is rejected again.",
  formula: "rejected repair attempts / repair attempts with a known verdict",
  unit: "repair attempt",
  better: "lower",
  numerator: ({ rejected }) => rejected.repair,
  denominator: ({ calls }) => calls.repair_accepted + calls.repair_rejected,
  pending: NOTHING_PENDING,
});
