/** `observation` → what assembling reads. */
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Database } from "../database/schema.ts";
import { arrayLiteral, bytesCell } from "./array-literal.ts";
import type { ReceivedObservation } from "./assembly/types.ts";
import type { NeutralRecord } from "./records.ts";

interface Row {
  trace_id: string;
  span_id: string;
  parent_span_id: string | null;
  start_ns: string;
  end_ns: string;
  received_at: Date;
  source: string;
  record: NeutralRecord;
}

/** What states one of these runs. */
export function observationsOfRuns(
  trx: Kysely<Database>,
  projectId: number,
  runIds: readonly string[],
): Promise<ReceivedObservation[]> {
  return load(trx, sql`project_id = ${projectId} and run_id = any(${arrayLiteral(runIds)}::text[])`);
}

/** Everything in these traces. */
export function observationsOfTraces(
  trx: Kysely<Database>,
  projectId: number,
  traceIds: readonly string[],
): Promise<ReceivedObservation[]> {
  if (traceIds.length === 0) return Promise.resolve([]);
  return load(trx, sql`project_id = ${projectId} and trace_id = any(${traces(traceIds)})`);
}

/** How many observations state each of these runs. */
export function observationsByRun(
  trx: Kysely<Database>,
  projectId: number,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const ofRuns = sql`project_id = ${projectId} and run_id = any(${arrayLiteral(runIds)}::text[])`;
  return count(trx, sql`run_id`, ofRuns);
}

/** How many observations each of these traces has. */
export function observationsByTrace(
  trx: Kysely<Database>,
  projectId: number,
  traceIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const ofTraces = sql`project_id = ${projectId} and trace_id = any(${traces(traceIds)})`;
  return count(trx, sql`encode(trace_id, 'hex')`, ofTraces);
}

/** Those of the traces that hold a span which states no run. */
export async function tracesWithRunlessSpans(
  trx: Kysely<Database>,
  projectId: number,
  traceIds: readonly string[],
): Promise<string[]> {
  if (traceIds.length === 0) return [];
  const { rows } = await sql<{ trace_id: string }>`
    -- one row per trace
    select distinct encode(trace_id, 'hex') as trace_id
    from observation
    where project_id = ${projectId} and trace_id = any(${traces(traceIds)}) and run_id is null
  `.execute(trx);
  return rows.map((row) => row.trace_id);
}

/** Those of the ids that some span states. */
export async function statedRuns(
  trx: Kysely<Database>,
  projectId: number,
  runIds: readonly string[],
): Promise<string[]> {
  if (runIds.length === 0) return [];
  const { rows } = await sql<{ run_id: string }>`
    -- one row per run
    select distinct run_id
    from observation
    where project_id = ${projectId} and run_id = any(${arrayLiteral(runIds)}::text[])
  `.execute(trx);
  return rows.map((row) => row.run_id);
}

function traces(traceIds: readonly string[]): RawBuilder<unknown> {
  return sql`${arrayLiteral(traceIds.map(bytesCell))}::bytea[]`;
}

async function count(
  trx: Kysely<Database>,
  subject: RawBuilder<unknown>,
  condition: RawBuilder<unknown>,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ subject: string; observations: number }>`
    -- one row per run or trace
    select ${subject} as subject, count(*)::int as observations from observation where ${condition} group by 1
  `.execute(trx);
  return new Map(rows.map((row) => [row.subject, row.observations]));
}

async function load(trx: Kysely<Database>, condition: RawBuilder<unknown>): Promise<ReceivedObservation[]> {
  const { rows } = await sql<Row>`
    -- one row per observation
    select
      encode(trace_id, 'hex') as trace_id,
      encode(span_id, 'hex') as span_id,
      encode(parent_span_id, 'hex') as parent_span_id,
      start_ns,
      end_ns,
      received_at,
      source,
      record
    from observation
    where ${condition}
  `.execute(trx);
  return rows.map((row) => ({
    ...row,
    start_ns: BigInt(row.start_ns),
    end_ns: BigInt(row.end_ns),
    received_at: row.received_at.getTime(),
  }));
}
