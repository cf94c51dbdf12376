/** What the demo's traffic shows. */
import { type ErrorTexts, WITH_CARELESS_EXAMPLE, WITH_EXAMPLE } from "./error-texts.ts";

export interface Scenario {
  readonly name: ScenarioName;
  /** One line of the help. */
  readonly shows: string;
  /** Runs of the past, unless another number is asked for. */
  readonly runs: number;
  /** What the rollout puts in the place of the terse texts. */
  readonly candidate: ErrorTexts;
}

export const SCENARIO_NAMES = ["healthy", "hidden-harm", "small"] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

/** As many as are there in well under a minute on two busy cores. */
const MANY = 4_000;
const FEW = 48;

export const SCENARIOS: Readonly<Record<ScenarioName, Scenario>> = {
  healthy: {
    name: "healthy",
    shows: "the new error texts help everywhere",
    runs: MANY,
    candidate: WITH_EXAMPLE,
  },
  "hidden-harm": {
    name: "hidden-harm",
    shows: "they help on average, and do harm on the one tool that cannot be undone",
    runs: MANY,
    candidate: WITH_CARELESS_EXAMPLE,
  },
  small: {
    name: "small",
    shows: "a few dozen runs: too little evidence to say",
    runs: FEW,
    candidate: WITH_EXAMPLE,
  },
};
