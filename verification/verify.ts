/**
 * Recomputes what is stored from the observations, by the pure functions of assembling and linking, and compares it row by
 * row: runs, turns, calls, counts, episodes, repair links, and the rollups of the whole hours and days of a range.
 */
import { type Kysely, sql } from "kysely";
import { noProject, settingsOf } from "../analytics/episodes/linker-settings.ts";
import type { Database } from "../database/schema.ts";
import { dictionaryCheck } from "./cohorts.ts";
import { compareRollups } from "./compare-rollups.ts";
import { type Difference, Differences, type Table } from "./differences.ts";
import { partOfDay, type Range } from "./range.ts";
import { RollupSums } from "./rollup-sums.ts";
import { daysOf, runsOfDay, runsWithoutTime } from "./runs-of-day.ts";
import { type Counted, type Verifying, verifyRuns } from "./verify-runs.ts";

export interface VerifyOptions {
  readonly projectId: number;
  readonly range: Range;
  readonly clock: () => Date;
  /** Ends the work after the portion at work: `verify` then throws the signal's reason. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  /** The day in UTC that is being looked at: `2026-01-15`. */
  readonly day: string;
  readonly daysDone: number;
  readonly days: number;
  readonly runs: number;
  readonly differences: number;
}

export interface Verification {
  /** ISO 8601, the moment by which an episode counts as settled. */
  readonly as_of: string;
  readonly from: string | null;
  readonly to: string | null;
  /** Runs with a row or an observation in the range; each was compared as a whole. */
  readonly runs: number;
  /** Runs of the range that wait to be assembled or linked, and runs that cannot be assembled: not compared. */
  readonly runs_waiting: number;
  readonly runs_set_aside: number;
  /** Settled, and not yet in the rollups: no difference, the worker puts them there. */
  readonly episodes_to_roll: number;
  readonly tables: readonly { readonly table: Table; readonly rows: number; readonly differences: number }[];
  readonly differences: {
    readonly total: number;
    /** At most 1,000. */
    readonly listed: readonly Difference[];
  };
}

/**
 * Verifies one state of the database, in one transaction that writes nothing; others may work on it meanwhile. In
 * memory are the rollups of one day and the observations of some runs.
 */
export function verify(db: Kysely<Database>, options: VerifyOptions): Promise<Verification> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute((trx) => verifySnapshot(trx, options));
}

async function verifySnapshot(trx: Kysely<Database>, options: VerifyOptions): Promise<Verification> {
  const { projectId, range, clock } = options;
  // Everything is read once: no statement of this transaction is one that hangs.
  await sql`set local statement_timeout to 0`.execute(trx);
  const project = await trx.selectFrom("project").selectAll().where("project_id", "=", projectId).executeTakeFirst();
  if (project === undefined) throw noProject(projectId);
  const differences = new Differences();
  const counted: Counted = { runs: 0, waiting: 0, setAside: 0, episodesToRoll: 0 };
  const context: Verifying = {
    trx,
    projectId,
    settings: settingsOf(project),
    // Taken after the snapshot: what is seen as rolled had settled before.
    now: clock(),
    range,
    differences,
    dictionary: dictionaryCheck(trx, projectId, differences),
    counted,
  };
  await verifyDays(context, options);
  for await (const runIds of runsWithoutTime(trx, projectId)) await verifyRuns(context, runIds, null);
  await context.dictionary.compareRest(range);
  return {
    as_of: context.now.toISOString(),
    from: range.from?.toISOString() ?? null,
    to: range.to?.toISOString() ?? null,
    runs: counted.runs,
    runs_waiting: counted.waiting,
    runs_set_aside: counted.setAside,
    episodes_to_roll: counted.episodesToRoll,
    tables: differences.tables(),
    differences: { total: differences.total, listed: differences.listed },
  };
}

async function verifyDays(context: Verifying, { signal, onProgress }: VerifyOptions): Promise<void> {
  const { trx, projectId, range, differences, counted } = context;
  const days = await daysOf(trx, projectId, range);
  for (const [daysDone, day] of days.entries()) {
    const part = partOfDay(day, range);
    const sums = new RollupSums();
    for await (const runIds of runsOfDay(trx, projectId, part)) {
      signal?.throwIfAborted();
      await verifyRuns(context, runIds, { part, sums });
      const at = { day: new Date(day).toISOString().slice(0, 10), daysDone, days: days.length };
      onProgress?.({ ...at, runs: counted.runs, differences: differences.total });
    }
    await compareRollups(trx, projectId, part, sums, differences);
  }
}
