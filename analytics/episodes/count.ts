import type { CallRole } from "./episodes.ts";
import { byPlace } from "./pair.ts";
import type { LinkCall, LinkRun } from "./types.ts";

/** What a call is counted by: its tool and cohort, each value as it was stored. */
export interface CallCohort {
  /** Name that the model saw; `_unknown` for a tool that was not offered. */
  readonly tool: string;
  readonly toolSource: string | null;
  readonly schemaVersion: string | null;
  readonly templateVersion: string | null;
  readonly fingerprint: string | null;
  readonly failureClass: string | null;
  readonly rung: number | null;
  readonly retryability: string | null;
  readonly model: string | null;
  readonly agentName: string | null;
  readonly environment: string | null;
  readonly risk: string;
  readonly external: boolean | null;
  /** False where the source knows no times: the run stands at the moment of its import. */
  readonly timed: boolean;
  /** Declared cohort keys, in one order for the same keys. */
  readonly flags: Readonly<Record<string, string>>;
}

/** A call with all that counting looks at. */
export interface CountedCall extends LinkCall, CallCohort {
  readonly validated: boolean | null;
  readonly corrected: boolean | null;
  readonly schemaVerdict: string | null;
  readonly turnSource: "exact" | "inferred";
}

/** A run whose calls can be linked and counted. */
export interface CountedRun extends LinkRun {
  readonly calls: readonly CountedCall[];
}

/** Counters of METRICS.md sections 1 to 3. Roles are of the repair kind, and each call has exactly one. */
interface CallCounters {
  calls: number;
  results: number;
  firstAccepted: number;
  firstRejected: number;
  repairAccepted: number;
  repairRejected: number;
  repairUnknown: number;
  unpairedUnknown: number;
  /** Accepted calls that nothing checked, whose arguments the harness changed, that ran against their schema. */
  notValidated: number;
  corrected: number;
  againstSchema: number;
  /** Calls whose turn the source did not state. */
  inferredTurns: number;
}

/**
 * Where a run stands (METRICS.md section 1): 1 in the row of its first call, else 0. *Known* are ended runs of known
 * outcome.
 */
interface PlaceCounters {
  /** Of its first call to any tool. */
  runs: number;
  runsEnded: number;
  runsKnown: number;
  runsCompleted: number;
  /** Of its first call to the row's tool. */
  toolRuns: number;
  toolRunsEnded: number;
  toolRunsKnown: number;
  toolRunsCompleted: number;
}

/** The calls of one run within one minute that share tool and cohort. */
export interface CallCount extends CallCohort, CallCounters, PlaceCounters {
  /** Start of the minute in UTC, milliseconds since 1970. */
  readonly minute: number;
  /** Earliest start of its calls. */
  readonly firstCallAt: number;
}

const MINUTE = 60_000;

const COHORT = [
  "tool",
  "toolSource",
  "schemaVersion",
  "templateVersion",
  "fingerprint",
  "failureClass",
  "rung",
  "retryability",
  "model",
  "agentName",
  "environment",
  "risk",
  "external",
  "timed",
  "flags",
] as const satisfies readonly (keyof CallCohort)[];

/**
 * Counts the calls of one run by minute, tool and cohort, and the run itself where it stands.
 *
 * @param roles of the run's calls, from `episodesOf`.
 */
export function countCalls(run: CountedRun, roles: ReadonlyMap<string, CallRole>): CallCount[] {
  const counts = new Map<string, CallCount>();
  const tools = new Set<string>();
  for (const call of run.calls.toSorted(byStart)) {
    const minute = Math.floor(call.startedAt / MINUTE) * MINUTE;
    const key = JSON.stringify([minute, ...COHORT.map((field) => call[field])]);
    const count = counts.get(key) ?? newCount(minute, call);
    if (counts.size === 0) Object.assign(count, place(run));
    counts.set(key, count);
    const tool = JSON.stringify([call.tool, call.toolSource]);
    if (!tools.has(tool)) Object.assign(count, toolPlace(run));
    tools.add(tool);
    count.calls++;
    count[counterOf(roles.get(call.key) ?? "unknown", call)]++;
    if (call.hasResult) count.results++;
    if (call.turnSource === "inferred") count.inferredTurns++;
    if (call.verdict !== "accepted") continue;
    if (call.validated === false) count.notValidated++;
    if (call.corrected === true) count.corrected++;
    if (call.schemaVerdict === "rejected") count.againstSchema++;
  }
  return [...counts.values()];
}

/** Of calls that start at once the first is the one with the earlier place in the run. */
function byStart(a: LinkCall, b: LinkCall): number {
  return a.startedAt - b.startedAt || byPlace(a, b);
}

function place({ ended, outcome }: LinkRun) {
  const completed = ended && outcome === "completed";
  return { runs: 1, runsEnded: +ended, runsKnown: +(ended && outcome !== null), runsCompleted: +completed };
}

function toolPlace(run: LinkRun) {
  const { runs, runsEnded, runsKnown, runsCompleted } = place(run);
  return { toolRuns: runs, toolRunsEnded: runsEnded, toolRunsKnown: runsKnown, toolRunsCompleted: runsCompleted };
}

type RoleCounter =
  | "firstAccepted"
  | "firstRejected"
  | "repairAccepted"
  | "repairRejected"
  | "repairUnknown"
  | "unpairedUnknown";

function counterOf(role: CallRole, { verdict }: LinkCall): RoleCounter {
  if (role === "unknown") return "unpairedUnknown";
  if (role === "first") return verdict === "accepted" ? "firstAccepted" : "firstRejected";
  if (verdict === "unknown") return "repairUnknown";
  return verdict === "accepted" ? "repairAccepted" : "repairRejected";
}

function newCount(minute: number, call: CountedCall): CallCount {
  const { tool, toolSource, schemaVersion, templateVersion, fingerprint, failureClass, rung } = call;
  const { retryability, model, agentName, environment, risk, external, timed, flags } = call;
  return {
    minute,
    firstCallAt: call.startedAt,
    ...{ tool, toolSource, schemaVersion, templateVersion, fingerprint, failureClass, rung },
    ...{ retryability, model, agentName, environment, risk, external, timed, flags },
    ...{ calls: 0, results: 0, firstAccepted: 0, firstRejected: 0, repairAccepted: 0, repairRejected: 0 },
    ...{ repairUnknown: 0, unpairedUnknown: 0, notValidated: 0, corrected: 0, againstSchema: 0, inferredTurns: 0 },
    ...{ runs: 0, runsEnded: 0, runsKnown: 0, runsCompleted: 0 },
    ...{ toolRuns: 0, toolRunsEnded: 0, toolRunsKnown: 0, toolRunsCompleted: 0 },
  };
}
