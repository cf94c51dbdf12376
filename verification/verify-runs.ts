/** Some runs, as they are stored beside what their observations say; what they add to the rollups of a day. */
import type { Kysely } from "kysely";
import type { LinkSettings } from "../analytics/episodes/types.ts";
import type { AssembledRun } from "../collector/assembly/types.ts";
import type { Database } from "../database/schema.ts";
import { assembledAgain, loadEvidence, startsOf } from "./assembled-again.ts";
import { assembledRows } from "./assembled-rows.ts";
import type { DictionaryCheck } from "./cohorts.ts";
import { compareRows } from "./compare-rows.ts";
import type { Differences, Table } from "./differences.ts";
import { type ExpectedEpisode, type LinkedRows, linkedAgain } from "./linked-again.ts";
import { type DayPart, firstInRange, isIn, type Range, startOfDay } from "./range.ts";
import type { EpisodePart } from "./rollup-parts.ts";
import type { RollupSums } from "./rollup-sums.ts";
import { type StoredRun, storedRuns, timesOf } from "./stored-rows.ts";
import { waitingRuns } from "./waiting.ts";

export interface Verifying {
  readonly trx: Kysely<Database>;
  readonly projectId: number;
  readonly settings: LinkSettings;
  /** Episodes that have settled by then may be in the rollups. */
  readonly now: Date;
  readonly range: Range;
  readonly differences: Differences;
  readonly dictionary: DictionaryCheck;
  readonly counted: Counted;
}

/** Runs and episodes of the range. */
export interface Counted {
  /** Compared, gone ones included. */
  runs: number;
  /** Not compared: what is stored of them is about to change. */
  waiting: number;
  /** Not compared: they cannot be assembled. */
  setAside: number;
  /** Settled, and not yet in the rollups: the worker puts them there. */
  episodesToRoll: number;
}

/** Where the runs stand, and what collects their share of it; null for runs of which nothing has a time. */
export type Day = { readonly part: DayPart; readonly sums: RollupSums } | null;

const KEYS = {
  run: ["run_id"],
  turn: ["run_id", "turn"],
  call: ["run_id", "trace_id", "span_id"],
  run_count: ["run_id", "minute", "cohort_id"],
  episode: ["run_id", "kind", "turn", "ordinal"],
  attempt: ["run_id", "kind", "opening_turn", "opening_ordinal", "attempt"],
} as const satisfies Partial<Record<Table, readonly string[]>>;

/** Compares each run on the first of its days in the range, and adds what it contributes to this day. */
export async function verifyRuns(context: Verifying, runIds: readonly string[], day: Day): Promise<void> {
  const { trx, projectId, counted, dictionary } = context;
  const evidence = await loadEvidence(trx, projectId, runIds);
  const waits = await waitingRuns(trx, projectId, runIds, evidence);
  const ready = runIds.filter((runId) => !waits.has(runId));
  const again = new Map(ready.map((runId) => [runId, assembledAgain(runId, evidence)]));
  const linked = await linkedAgain(trx, context, present(again));
  await dictionary.compareUsed(linked.cohorts);
  const stored = await storedRuns(trx, projectId, runIds);
  for (const runId of runIds) {
    const rows = stored.get(runId)!;
    const first = firstInRange([...startsOf(runId, evidence), ...timesOf(rows)], context.range);
    const own = day === null || (first !== null && startOfDay(first) === day.part.day);
    if (waits.has(runId) || linked.undecided.has(runId)) {
      if (own) counted[waits.get(runId) === "set_aside" ? "setAside" : "waiting"] += 1;
      // This is what the rollups hold of it until it is linked.
      if (day !== null)
        contribute(
          day,
          rows.run_count,
          rows.episode.filter(({ rolled }) => rolled),
        );
      continue;
    }
    const run = again.get(runId) ?? null;
    const expected = linked.runs.get(runId) ?? { counts: [], episodes: [], attempts: [] };
    if (own && (run !== null || isThere(rows))) {
      counted.runs += 1;
      compareRun(context, run, expected, rows);
    }
    const rolled = rolledEpisodes(context, expected.episodes, rows, own);
    if (day !== null) contribute(day, expected.counts, rolled);
  }
}

function present(runs: ReadonlyMap<string, AssembledRun | null>): AssembledRun[] {
  return [...runs.values()].filter((run) => run !== null);
}

const isThere = (rows: StoredRun): boolean => Object.values(rows).some((own) => own.length > 0);

function compareRun(
  { projectId, differences }: Verifying,
  run: AssembledRun | null,
  expected: LinkedRows,
  rows: StoredRun,
): void {
  const assembled = run === null ? { run: [], turn: [], call: [] } : assembledRows(projectId, run);
  const recomputed = {
    ...assembled,
    run_count: expected.counts,
    episode: expected.episodes.map(({ row }) => row),
    attempt: expected.attempts,
  };
  for (const table of Object.keys(KEYS) as (keyof typeof KEYS)[]) {
    const key = KEYS[table];
    compareRows({ table, key, stored: rows[table], recomputed: recomputed[table] }, differences);
  }
}

/**
 * The episodes that the rollups hold: of those that are stored, the rolled ones. Where the row is missing, which is a
 * difference of its own, it is as if it had been settled into them.
 */
function rolledEpisodes(
  { now, differences, counted }: Verifying,
  episodes: readonly ExpectedEpisode[],
  { episode: stored }: StoredRun,
  own: boolean,
): EpisodePart[] {
  const placeOf = ({ kind, turn, ordinal }: { kind: string; turn: number; ordinal: number }) =>
    `${kind} ${turn} ${ordinal}`;
  const byPlace = new Map(stored.map((row) => [placeOf(row), row]));
  return episodes
    .filter(({ row, settlesAt }) => {
      const settled = settlesAt <= now.getTime();
      const rolled = byPlace.get(placeOf(row))?.rolled;
      if (own && rolled === false && settled) counted.episodesToRoll += 1;
      if (own && rolled === true && !settled) {
        const { run_id, kind, turn, ordinal } = row;
        const column = { column: "rolled", stored: true, recomputed: false };
        differences.add({ table: "episode", found: "value", key: { run_id, kind, turn, ordinal }, ...column });
      }
      return rolled ?? settled;
    })
    .map(({ row }) => row);
}

function contribute(
  { part, sums }: NonNullable<Day>,
  counts: readonly Parameters<RollupSums["addCalls"]>[0][],
  episodes: readonly EpisodePart[],
): void {
  for (const count of counts) if (isIn(Number(new Date(count.minute)), part)) sums.addCalls(count);
  for (const episode of episodes) if (isIn(Number(new Date(episode.opened_at)), part)) sums.addEpisode(episode);
}
