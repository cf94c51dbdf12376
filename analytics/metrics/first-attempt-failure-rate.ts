import { defineMetric, NOTHING_PENDING } from "./metric.ts";

export const firstAttemptFailureRate = defineMetric({
  name: "first_attempt_failure_rate",
  title: "First-attempt failure rate",
  meaning: "How often the model's first call is rejected; a fingerprint in the question narrows the numerator only.",
  formula: "rejected first attempts / first attempts",
  unit: "first attempt",
  better: "lower",
  numerator: ({ rejected }) => rejected.first,
  denominator: ({ calls }) => calls.first_accepted + calls.first_rejected,
  pending: NOTHING_PENDING,
});
