/** Which error texts a run reads: all the terse ones, then a fifth of all runs the new ones. */
import { type ErrorTexts, TERSE } from "./error-texts.ts";
import { fractionOf } from "./random.ts";
import type { Scenario } from "./scenarios.ts";

const DAY = 24 * 60 * 60 * 1000;
const SHARE = 0.2;
const SALT = "error-texts-2";
/** How long before the demo's start the rollout began. */
const BEGUN_DAYS_AGO = 7;

export interface Assignment {
  readonly texts: ErrorTexts;
  /** Absent before the rollout. */
  readonly arm?: "control" | "example";
}

/** Decided by the run's id alone, so that a run keeps its texts wherever it goes on. */
export function assign(scenario: Scenario, runId: string, startedAt: number, demoStart: number): Assignment {
  if (startedAt < demoStart - BEGUN_DAYS_AGO * DAY) return { texts: TERSE };
  const isCandidate = fractionOf(`${SALT}\0${runId}`) < SHARE;
  return isCandidate ? { texts: scenario.candidate, arm: "example" } : { texts: TERSE, arm: "control" };
}
