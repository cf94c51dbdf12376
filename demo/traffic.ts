/** When runs begin, and what each of them is: decided by the seed, the moment of the demo's start, and its number. */
import { hash } from "node:crypto";
import type { ErrorTexts } from "./error-texts.ts";
import { PROFILES, type Profile } from "./model/profiles.ts";
import { type Random, seeded } from "./random.ts";
import { assign } from "./rollout.ts";
import type { Scenario } from "./scenarios.ts";

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const DAYS = 14;
/** A run of the past is over before the demo begins. */
const LATEST_BEFORE_START = 5 * 60 * 1000;
/** When `list_transactions` got its second schema, before the demo's start. */
const RELEASE_DAYS_AGO = 10;

export const ENVIRONMENTS = ["production", "staging"] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export interface RunPlan {
  readonly runId: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly environment: Environment;
  readonly profile: Profile;
  readonly agentVersion: string;
  readonly texts: ErrorTexts;
  /** Absent before the rollout of the error texts. */
  readonly arm?: "control" | "example";
  /** The version of `list_transactions`' schema. */
  readonly release: "1" | "2";
}

export interface TrafficOptions {
  readonly scenario: Scenario;
  readonly seed: number;
  /** When the demo began, milliseconds since 1970. */
  readonly start: number;
}

/** Begins the id of every run of one demo. */
export function runIdPrefix({ scenario, seed, start }: TrafficOptions): string {
  return `demo-${hash("sha256", `${scenario.name}\0${seed}\0${start}`, "hex").slice(0, 8)}-`;
}

/** The runs of the fourteen days before the start, in the order of their beginnings. */
export function pastRuns(options: TrafficOptions, runs: number): RunPlan[] {
  const random = seeded(`${runIdPrefix(options)}times`);
  return startTimes(options.start, runs, random).map((startedAt, index) => planRun(options, startedAt, `${index}`));
}

/** A run that begins now. */
export function liveRun(options: TrafficOptions, startedAt: number, index: number): RunPlan {
  return planRun(options, startedAt, `live-${index}`);
}

function planRun(options: TrafficOptions, startedAt: number, number: string): RunPlan {
  const { scenario, start } = options;
  const runId = `${runIdPrefix(options)}${number}`;
  const random = seeded(`plan ${runId}`);
  const released = startedAt >= start - RELEASE_DAYS_AGO * DAY;
  return {
    runId,
    startedAt,
    environment: random.chance(0.88) ? "production" : "staging",
    profile: random.weighted([
      [PROFILES.large, 4],
      [PROFILES.small, 4],
      [PROFILES.other, 2],
    ]),
    agentVersion: released ? "2.4" : "2.3",
    release: released ? "2" : "1",
    ...assign(scenario, runId, startedAt, start),
  };
}

/** How many runs an hour brings, beside other hours: many by day, few by night and at weekends, more from week to week. */
function intensity(hourStart: number, first: number): number {
  const date = new Date(hourStart);
  const hour = date.getUTCHours();
  const byDay = 0.25 + Math.max(0, Math.sin(((hour - 6) / 14) * Math.PI));
  const weekend = date.getUTCDay() % 6 === 0 ? 0.45 : 1;
  return byDay * weekend * (1 + (0.4 * (hourStart - first)) / (DAYS * DAY));
}

/** Spread as the hours' intensities have it, each at random within its share of time; sorted. */
function startTimes(start: number, runs: number, random: Random): number[] {
  const last = start - LATEST_BEFORE_START;
  const first = last - DAYS * DAY;
  const hours = Array.from({ length: DAYS * 24 }, (_, hour) => first + hour * HOUR);
  const weights = hours.map((hourStart) => intensity(hourStart, first));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const times: number[] = [];
  let passed = 0;
  let hour = 0;
  for (let run = 0; run < runs; run += 1) {
    const at = ((run + random.next()) / runs) * whole;
    while (hour < hours.length - 1 && passed + weights[hour]! <= at) {
      passed += weights[hour]!;
      hour += 1;
    }
    times.push(Math.floor(hours[hour]! + ((at - passed) / weights[hour]!) * HOUR));
  }
  return times;
}
