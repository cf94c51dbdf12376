/** Writes runs in batches, each run in one piece, and tells what was known before. */
import type { Kysely } from "kysely";
import type { Database } from "../../database/schema.ts";
import type { Observation } from "../records.ts";
import type { Store } from "../store.ts";
import type { TranscriptRun } from "../transcripts/types.ts";
import { add, type ImportAccounting } from "./accounting.ts";
import { identityOf } from "./identity.ts";
import { compareLines, isSameRun, type KnownRun, readKnownRuns } from "./known-lines.ts";
import { observe } from "./observe.ts";
import { replaceRecords } from "./replace-records.ts";

/** Lines of a batch: about one statement of the store. */
const BATCH_LINES = 2000;
/** More runs than this under one key is no key. */
const MAX_COPIES = 1000;

export interface RunWriterOptions {
  readonly db: Kysely<Database>;
  readonly store: Store;
  readonly projectId: number;
  /** The time of this import, at which new runs stand. */
  readonly now: Date;
  readonly accounting: ImportAccounting;
  /** The same content was read before, under other settings: its lines are no duplicates. */
  readonly again: boolean;
}

/** A writer: `add` takes a run, `end` writes what is left. A run is stored whole or not at all. */
export function createRunWriter(options: RunWriterOptions) {
  const { db, store, projectId, now, accounting, again } = options;
  const { source } = accounting;
  let batch: TranscriptRun[] = [];
  let lines = 0;
  /** Base ids of the batch: a second run under one of them must find the first one stored. */
  let ids = new Set<string>();

  const baseId = (run: TranscriptRun) => identityOf(source, run.key, run.model, 1).runId;

  const write = async () => {
    const known = await readKnownRuns(db, projectId, ids);
    const fresh: Observation[] = [];
    const changed: Observation[] = [];
    for (const run of batch) {
      const compared = await place(run, known.get(baseId(run)));
      fresh.push(...compared.fresh);
      changed.push(...compared.changed);
      if (!again) addDuplicates(compared.same);
    }
    accounting.lines_replaced += changed.length;
    await store.insert(fresh, { allowAnyTime: true });
    await replaceRecords(db, projectId, changed, now);
    batch = [];
    lines = 0;
    ids = new Set();
  };

  /** Finds the run's own place under its key: runs with other calls under one key are kept apart. */
  const place = async (run: TranscriptRun, first: KnownRun | undefined) => {
    let known = first;
    for (let copy = 1; copy <= MAX_COPIES; copy += 1) {
      const identity = identityOf(source, run.key, run.model, copy);
      if (copy > 1) known = (await readKnownRuns(db, projectId, [identity.runId])).get(identity.runId);
      const observations = observe(run, source, identity, known?.startedAt ?? now.getTime());
      if (known === undefined) {
        if (copy > 1) accounting.runs_kept_apart += 1;
        return { fresh: observations, changed: [], same: [] };
      }
      if (isSameRun(known.lines, observations)) return compareLines(known.lines, observations);
    }
    throw new Error(
      `more than ${MAX_COPIES} different runs have the key ${run.key}: it names no run. Give each run an "id" of its own.`,
    );
  };

  const addDuplicates = (same: readonly Observation[]) => {
    const count = (test: (observation: Observation) => boolean) => same.filter(test).length;
    const turns = count(({ record }) => record.type === "turn");
    const results = count(({ record }) => record.type === "call" && record.has_result === true);
    const calls = count(({ record }) => record.type === "call" && record.has_result === false);
    add(accounting.duplicates_skipped, "lines", turns + results);
    add(accounting.duplicates_skipped, "turns", turns);
    add(accounting.duplicates_skipped, "calls", calls);
    add(accounting.duplicates_skipped, "results", results);
  };

  return {
    async add(run: TranscriptRun): Promise<void> {
      const id = baseId(run);
      if (ids.has(id)) await write();
      ids.add(id);
      batch.push(run);
      lines += run.lines.length;
      if (lines >= BATCH_LINES) await write();
    },
    async end(): Promise<void> {
      if (batch.length > 0) await write();
    },
  };
}
