import type { CallCounts } from "./counts.ts";
import { defineMetric, NOTHING_PENDING } from "./metric.ts";

const firstAttempts = (calls: CallCounts): number => calls.first_accepted + calls.first_rejected;

export const firstAttemptValidity = defineMetric({
  name: "first_attempt_validity",
  title: "First-attempt validity",
  meaning: "How often the model calls the tool rightly before it has read any error text.",
  formula: "accepted first attempts / first attempts",
  unit: "first attempt",
  better: "higher",
  numerator: ({ calls }) => calls.first_accepted,
  denominator: ({ calls }) => firstAttempts(calls),
  pending: NOTHING_PENDING,
});

export const firstAttemptValidityParse = defineMetric({
  name: "first_attempt_validity_parse",
  title: "First-attempt validity: parses",
  meaning: "How often the arguments are a whole JSON object at all.",
  formula: "first attempts not `malformed` / first attempts",
  unit: "first attempt",
  better: "higher",
  numerator: ({ calls }) => firstAttempts(calls) - calls.first_rejected_parse,
  denominator: ({ calls }) => firstAttempts(calls),
  pending: NOTHING_PENDING,
});

export const firstAttemptValiditySchema = defineMetric({
  name: "first_attempt_validity_schema",
  title: "First-attempt validity: passes the schema",
  meaning: "Of what parses, how often the tool exists and its declared schema takes the arguments.",
  formula: "parsed first attempts of class neither `schema` nor `unknown_tool` / first attempts that parsed",
  unit: "first attempt that parsed",
  better: "higher",
  numerator: ({ calls }) => firstAttempts(calls) - calls.first_rejected_parse - calls.first_rejected_schema,
  denominator: ({ calls }) => firstAttempts(calls) - calls.first_rejected_parse,
  pending: NOTHING_PENDING,
});

export const firstAttemptValidityTool = defineMetric({
  name: "first_attempt_validity_tool",
  title: "First-attempt validity: the tool takes it",
  meaning: "Of what passes the schema, how often the tool's own rules take it: a business refusal is no broken JSON.",
  formula: "accepted first attempts / first attempts that passed the schema",
  unit: "first attempt that passed the schema",
  better: "higher",
  numerator: ({ calls }) => calls.first_accepted,
  denominator: ({ calls }) => firstAttempts(calls) - calls.first_rejected_parse - calls.first_rejected_schema,
  pending: NOTHING_PENDING,
});
