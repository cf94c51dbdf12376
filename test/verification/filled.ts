/** Runs of every kind, through the real store, assembler and linker. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Kysely } from "kysely";
import { linkPending } from "../../analytics/episodes/linker.ts";
import type { ReceivedObservation } from "../../collector/assemble.ts";
import { assemblePending } from "../../collector/assembler.ts";
import { importFile } from "../../collector/import.ts";
import type { CallRecord, RunRecord } from "../../collector/records.ts";
import { readRules } from "../../collector/rules.ts";
import { createStore } from "../../collector/store.ts";
import type { Database } from "../../database/schema.ts";
import { call, NOON, run, turn } from "../collector/observations.ts";
import { answers, calls, user } from "../collector/transcripts/reading.ts";

export const PROJECT = 1;
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** From noon of the day in which the runs begin to the next midnight. */
export const TO_MIDNIGHT = 12 * HOUR;
/** When everything arrives: three days after the first noon. */
export const ARRIVAL = NOON + 3 * 24 * HOUR;
export const clockAt = (time: number) => () => new Date(time);

type Step = Partial<CallRecord> & { readonly at?: number };

const OK: Step = { verdict: "accepted" };
const WRONG: Step = {
  ...{ failure_class: "schema", verdict: "rejected", fingerprint: "invalid:start:date_format", rung: 1 },
  ...{ retryability: "after_change", key_id: "k1", signature: "s1", argument_digests: ["start=00000000000000aa"] },
  ...{ template_version: "t1", schema_version: "v1", risk: "write_irreversible", external: true },
};

/** A run of one trace: a turn with usage and a call each step, a second apart from `start` on. */
export function trajectory(
  runId: string,
  start: number,
  steps: readonly Step[],
  facts: Omit<RunRecord, "type"> = {},
): ReceivedObservation[] {
  const place = (name: string, at: number, length: number) => ({
    ...{ span: `${name}-${runId}`, trace: runId, start: at, end: at + length },
  });
  const turns = steps.flatMap(({ at = start, ...step }, index) => {
    const began = at + index * 1_000;
    return [
      turn(place(`t${index}`, began, 100), {
        ...{ run_id: runId, turn: index, model: "m", provider: "p", output_tokens: 35 },
        // Not every turn states its input.
        ...(index % 3 === 2 ? {} : { input_tokens: 650 + index, cached_input_tokens: 10 }),
      }),
      call(place(`c${index}`, began + 200, 7), {
        ...{ run_id: runId, turn: index, ordinal: 0, call_id: `call_${index}`, agent_name: "booker" },
        ...{ environment: "test", risk: "read", has_result: true, cohort: { tenant: "small" } },
        ...step,
      }),
    ];
  });
  return [...turns, run(place("run", start, 600_000), { run_id: runId, agent_name: "booker", ...facts })];
}

/** Ended and open runs, over midnight, without run ids, of mixed traces, with failures of each kind and continuations. */
export function variedRuns(): ReceivedObservation[] {
  const denied: Step = { failure_class: "denied", verdict: "unknown" };
  const flaky: Step = { failure_class: "timeout", verdict: "accepted", retryability: "as_is" };
  return [
    ...trajectory("valid", 0, [OK, OK], { outcome: "completed" }),
    ...trajectory("repaired", MINUTE, [WRONG, { ...WRONG, signature: "s2" }, OK, OK], { outcome: "completed" }),
    ...trajectory("given-up", 2 * MINUTE, [WRONG, WRONG, WRONG, WRONG], { outcome: "exhausted", budget: "turns" }),
    ...trajectory("wanders", 3 * MINUTE, [WRONG, { tool: "other" }, OK], { outcome: "escalated" }),
    ...trajectory("flaky", HOUR, [flaky, OK, denied, { tool: "other" }], { outcome: "failed" }),
    ...trajectory("over-midnight", TO_MIDNIGHT - 1_500, [WRONG, WRONG, OK, WRONG, OK], { outcome: "completed" }),
    ...trajectory("next-day", TO_MIDNIGHT + HOUR, [WRONG, OK], { outcome: "completed" }),
    ...trajectory("opens", 2 * HOUR, [{ ...OK, result_state: "started", continuation_id: "export-1" }, WRONG]).slice(
      0,
      -1,
    ),
    ...trajectory("closes", 3 * HOUR, [{ ...OK, result_state: "completed", continuation_id: "export-1" }], {
      outcome: "completed",
    }),
    // Three calls in the turn that repairs: thirds of its usage.
    ...trajectory("thirds", 5 * HOUR, [WRONG, OK], { outcome: "completed" }),
    ...[1, 2].map((ordinal) =>
      call(
        { span: `${ordinal}-thirds`, trace: "thirds", start: 5 * HOUR + 1_300, end: 5 * HOUR + 1_310 },
        { run_id: "thirds", turn: 1, ordinal, tool: "other", verdict: "accepted" },
      ),
    ),
    // No outcome and no agent span: not ended.
    ...trajectory("open", 4 * HOUR, [WRONG, { ...WRONG, at: 5 * HOUR }]).slice(0, -1),
    ...runless(),
  ];
}

/** Spans that state no run: a trace, agent spans in it, and a trace in which one span states a run. */
function runless(): ReceivedObservation[] {
  const plain = { tool: "find", verdict: "accepted" } as const;
  return [
    call({ span: "a", trace: "alone", start: 10, end: 20 }, { ...plain, ...WRONG, tool: "find" }),
    call({ span: "b", trace: "alone", start: 30, end: 40 }, plain),
    run({ span: "agent", trace: "agents", start: 0, end: 1_000 }),
    call({ span: "in", trace: "agents", parent: "agent", start: 10, end: 20 }, { ...plain, ...WRONG, tool: "find" }),
    call({ span: "out", trace: "agents", start: 2_000, end: 2_010 }, plain),
    run({ span: "top", trace: "mixed", start: 0, end: 90_000 }, { run_id: "stated", outcome: "completed" }),
    call({ span: "one", trace: "mixed", parent: "top", start: 10, end: 20 }, { ...plain, ...WRONG, tool: "find" }),
    call({ span: "two", trace: "mixed", parent: "top", start: TO_MIDNIGHT + 30, end: TO_MIDNIGHT + 40 }, plain),
    call({ span: "far", trace: "mixed", start: 100_000, end: 100_001 }, plain),
  ];
}

export async function store(
  db: Kysely<Database>,
  observations: readonly ReceivedObservation[],
  at = ARRIVAL,
): Promise<void> {
  const { refused } = await createStore({ db, clock: clockAt(at), projectId: PROJECT }).insert(observations);
  if (refused.length > 0) throw new Error(`the store refused ${refused.length} of the observations`);
}

/** Assembles and links everything that waits. */
export async function work(db: Kysely<Database>, at = ARRIVAL): Promise<void> {
  const clock = clockAt(at);
  await assemblePending(db, { projectId: PROJECT, clock });
  await linkPending(db, { projectId: PROJECT, clock });
}

/** Two imported runs without times, of which one repairs a call. */
export async function importRuns(db: Kysely<Database>, folder: string, at = ARRIVAL): Promise<void> {
  const chat = (id: string, ...results: readonly string[]) => ({
    id,
    messages: [
      user("hi"),
      ...results.flatMap((result, n) => [calls([`c${n}`, "book", `{"n":${n}}`]), answers(`c${n}`, result)]),
    ],
  });
  const path = join(folder, "chats.json");
  await writeFile(path, JSON.stringify([chat("1", "Error: full", "booked"), chat("2", "booked", "booked")]));
  const clock = clockAt(at);
  const rules = readRules("rules.json", Buffer.from(JSON.stringify([{ text: "^Error", class: "tool_input" }])));
  await importFile({
    ...{ db, clock, rules, path, projectId: PROJECT, format: "openai-chat", source: "chats" },
    ...{
      store: createStore({ db, clock, projectId: PROJECT }),
      signingKey: "mulligan-test-key-of-forty-characters-ok",
    },
  });
}
