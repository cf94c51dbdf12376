/** Reads the options of `mulligan demo`. */
import { nearest } from "../analytics/questions/nearest.ts";
import { SCENARIO_NAMES, SCENARIOS, type Scenario } from "../demo/scenarios.ts";
import { type Options, UsageError, type Values } from "./command.ts";

/** Beyond them the embedded database holds more calls than it is made for. */
const MOST_RUNS = 50_000;
const MOST_SEED = 2 ** 32 - 1;

export const DEMO_OPTIONS = {
  scenario: {
    type: "string",
    placeholder: "NAME",
    description: Object.values(SCENARIOS)
      .map(({ name, shows }) => `${name}: ${shows}`)
      .join(" · "),
  },
  runs: {
    type: "string",
    placeholder: "N",
    description: `Runs of the past fourteen days. Default: ${SCENARIOS.healthy.runs}, ${SCENARIOS.small.runs} for small.`,
  },
  seed: {
    type: "string",
    placeholder: "N",
    description: "Another number, other runs; the same one, the same runs. Default: 1.",
  },
  port: {
    type: "string",
    placeholder: "PORT",
    description: "Port to listen on. Default: 4318, or a free one where that is taken.",
  },
  "no-live": { type: "boolean", description: "Begin no run after those of the past." },
} as const satisfies Options;

export interface DemoOptions {
  readonly scenario: Scenario;
  readonly runs: number;
  readonly seed: number;
  readonly live: boolean;
}

/** @throws {UsageError} which names the option, what came, and what to write instead. */
export function demoOptions(values: Values<typeof DEMO_OPTIONS>): DemoOptions {
  const scenario = scenarioOf(values.scenario);
  return {
    scenario,
    runs: wholeNumber("--runs", values.runs, scenario.runs, { least: 1, most: MOST_RUNS, example: "1000" }),
    seed: wholeNumber("--seed", values.seed, 1, { least: 0, most: MOST_SEED, example: "7" }),
    live: !values["no-live"],
  };
}

function scenarioOf(text: string | undefined): Scenario {
  if (text === undefined) return SCENARIOS.healthy;
  const name = SCENARIO_NAMES.find((known) => known === text);
  if (name !== undefined) return SCENARIOS[name];
  const meant = nearest(text, SCENARIO_NAMES) ?? "hidden-harm";
  throw new UsageError(
    `--scenario is ${JSON.stringify(text.slice(0, 40))}, expected one of ${SCENARIO_NAMES.join(", ")}. Example: --scenario ${meant}`,
  );
}

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly example: string;
}

function wholeNumber(
  option: string,
  text: string | undefined,
  fallback: number,
  { least, most, example }: Bounds,
): number {
  if (text === undefined) return fallback;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new UsageError(
    `${option} is ${JSON.stringify(text.slice(0, 40))}, expected a whole number from ${least} to ${most}. Example: ${option} ${example}`,
  );
}
