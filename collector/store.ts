/** Observations → database: the only writer of `observation`, with marks for the runs that wait to be assembled. */
import { type Kysely, sql } from "kysely";
import { isMissingPartition } from "../database/errors.ts";
import { ensurePartitions, forgetPartitions } from "../database/partitions.ts";
import type { Database } from "../database/schema.ts";
import { bytesCell } from "./array-literal.ts";
import { milliseconds } from "./assembly/order.ts";
import { insertEach, isUnstorable } from "./insert-each.ts";
import { BATCH_ROWS, type Column, rowsOf, timeCell } from "./insert-rows.ts";
import type { Observation } from "./records.ts";
import { cannotBeHeld, inFuture, type Refused, tooOld } from "./refused.ts";
import { markUnits, runUnit, traceUnit } from "./units.ts";

export type Clock = () => Date;

export interface StoreOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly projectId: number;
  /** Spans that started longer ago are refused; 400 if absent. */
  readonly retentionDays?: number;
}

export interface InsertOptions {
  /**
   * Files tell of any time; spans only of the retention and at most a day ahead. A file is stored as a whole, too: a
   * value that the database cannot hold is thrown, where a span with one is refused by itself.
   */
  readonly allowAnyTime?: boolean;
}

export interface InsertResult {
  /** New ones. */
  readonly stored: number;
  /** Known before: sent again, they change nothing. */
  readonly known: number;
  /** One entry per observation that was refused. */
  readonly refused: readonly Refused[];
}

export interface Store {
  /**
   * Stores all that it does not refuse in one transaction, or none. Committed when it resolves.
   *
   * @throws what the database says; `isConnectionLost(error)` tells when the same call may succeed later.
   */
  insert(observations: readonly Observation[], options?: InsertOptions): Promise<InsertResult>;
}

const DAY = 24 * 60 * 60 * 1000;

export function createStore({ db, clock, projectId, retentionDays = 400 }: StoreOptions): Store {
  return {
    async insert(observations, options = {}) {
      const now = clock();
      const earliest = now.getTime() - retentionDays * DAY;
      const latest = now.getTime() + DAY;
      const refused: Refused[] = [];
      const taken = observations.filter((observation) => {
        if (options.allowAnyTime === true) return true;
        const start = milliseconds(observation.start_ns);
        const end = milliseconds(observation.end_ns);
        if (start >= earliest && start <= latest && end <= latest) return true;
        refused.push(start < earliest ? tooOld(start, earliest) : inFuture(Math.max(start, end), latest));
        return false;
      });
      if (taken.length === 0) return { stored: 0, known: 0, refused };
      const write = (each: boolean) => insertAll(db, projectId, taken, now, each);
      const { stored, unstorable } = await write(false).catch((error: unknown) => {
        if (options.allowAnyTime === true || !isUnstorable(error)) throw error;
        return write(true);
      });
      const known = taken.length - stored - unstorable.length;
      return { stored, known, refused: [...refused, ...unstorable] };
    },
  };
}

/** @param each - Whether rows that the database cannot hold are left out and the others stored; else it throws. */
async function insertAll(
  db: Kysely<Database>,
  projectId: number,
  observations: readonly Observation[],
  now: Date,
  each: boolean,
): Promise<{ stored: number; unstorable: Refused[] }> {
  // Always in the same order, so that two requests with the same spans wait for each other and never in a circle.
  const sorted = [...observations].sort(byKey);
  const columns = observationColumns(projectId, now);
  const insert = async () => {
    // The calls and turns of these spans will stand at their start times: their weeks are made here too.
    const times = sorted.map((observation) => new Date(milliseconds(observation.start_ns)));
    for (const table of ["observation", "turn", "call"] as const) await ensurePartitions(db, table, times);
    return db.transaction().execute(async (trx) => {
      const units = new Set<string>();
      const unstorable: Refused[] = [];
      const leaveOut = (observation: Observation, error: unknown) => unstorable.push(cannotBeHeld(observation, error));
      let stored = 0;
      for (let from = 0; from < sorted.length; from += BATCH_ROWS) {
        const batch = sorted.slice(from, from + BATCH_ROWS);
        const write = (rows: readonly Observation[]) => insertBatch(trx, rows, columns);
        const fresh = await (each ? insertEach(trx, batch, write, leaveOut) : write(batch));
        stored += fresh.length;
        for (const row of fresh) units.add(row.run_id === null ? traceUnit(row.trace_id) : runUnit(row.run_id));
      }
      await markUnits(trx, projectId, units, now);
      return { stored, unstorable };
    });
  };
  try {
    return await insert();
  } catch (error) {
    if (!isMissingPartition(error)) throw error;
    forgetPartitions(db);
    return insert();
  }
}

async function insertBatch(
  trx: Kysely<Database>,
  observations: readonly Observation[],
  columns: readonly Column<Observation>[],
): Promise<{ trace_id: string; run_id: string | null }[]> {
  const { names, relation } = rowsOf(observations, columns);
  const { rows } = await sql<{ trace_id: string; run_id: string | null }>`
    -- one row per observation that was not there
    insert into observation (${names}) ${relation}
    on conflict do nothing
    returning encode(trace_id, 'hex') as trace_id, run_id
  `.execute(trx);
  return rows;
}

function byKey(a: Observation, b: Observation): number {
  if (a.trace_id !== b.trace_id) return a.trace_id < b.trace_id ? -1 : 1;
  if (a.span_id !== b.span_id) return a.span_id < b.span_id ? -1 : 1;
  return a.start_ns < b.start_ns ? -1 : 1;
}

function observationColumns(projectId: number, now: Date): Column<Observation>[] {
  const receivedAt = now.toISOString();
  return [
    { name: "project_id", type: "integer", cell: () => projectId },
    { name: "trace_id", type: "bytea", cell: (o) => bytesCell(o.trace_id) },
    { name: "span_id", type: "bytea", cell: (o) => bytesCell(o.span_id) },
    {
      name: "parent_span_id",
      type: "bytea",
      cell: (o) => (o.parent_span_id === null ? null : bytesCell(o.parent_span_id)),
    },
    { name: "start_time", type: "timestamptz", cell: (o) => timeCell(milliseconds(o.start_ns)) },
    { name: "start_ns", type: "bigint", cell: (o) => o.start_ns },
    { name: "end_ns", type: "bigint", cell: (o) => o.end_ns },
    { name: "received_at", type: "timestamptz", cell: () => receivedAt },
    { name: "source", type: "text", cell: (o) => o.source },
    { name: "run_id", type: "text", cell: (o) => o.record.run_id ?? null },
    { name: "record", type: "jsonb", cell: (o) => JSON.stringify(o.record) },
  ];
}
