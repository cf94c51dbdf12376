/** What earlier imports stored of a run, and whether it is the same run. */
import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import { arrayLiteral } from "../array-literal.ts";
import type { NeutralRecord, Observation } from "../records.ts";

/** The lines of one run, by span id. */
export type KnownLines = ReadonlyMap<string, NeutralRecord>;

export interface KnownRun {
  readonly lines: KnownLines;
  /** Milliseconds since 1970 of the first import. */
  readonly startedAt: number;
}

/** The runs that are stored already, by run id. */
export async function readKnownRuns(
  db: Kysely<Database>,
  projectId: number,
  runIds: Iterable<string>,
): Promise<Map<string, KnownRun>> {
  const ids = [...new Set(runIds)];
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ run_id: string; span_id: string; start_time: Date; record: NeutralRecord }>`
    -- one row per line that is stored of these runs
    select run_id, encode(span_id, 'hex') as span_id, start_time, record
    from observation
    where project_id = ${projectId} and run_id = any(${arrayLiteral(ids)}::text[])
  `.execute(db);
  const runs = new Map<string, { lines: Map<string, NeutralRecord>; startedAt: number }>();
  for (const row of rows) {
    const run = runs.get(row.run_id) ?? { lines: new Map(), startedAt: Number.POSITIVE_INFINITY };
    run.lines.set(row.span_id, row.record);
    run.startedAt = Math.min(run.startedAt, row.start_time.getTime());
    runs.set(row.run_id, run);
  }
  return runs;
}

/**
 * Whether two copies can be of one run: a line that both have is of one kind, and the turns that both have propose the
 * same calls. One may be longer, or know results and an outcome that the other does not.
 */
export function isSameRun(known: KnownLines, observations: readonly Observation[]): boolean {
  for (const { span_id, record } of observations) {
    const before = known.get(span_id);
    if (before !== undefined && before.type !== record.type) return false;
  }
  const before = proposalsByTurn(known.values());
  const now = proposalsByTurn(observations.map((observation) => observation.record));
  for (const [turn, proposals] of now) {
    const earlier = before.get(turn);
    if (earlier !== undefined && !sameProposals(earlier, proposals)) return false;
  }
  return true;
}

type Proposals = Map<number, { signature: string | undefined; keyId: string | undefined }>;

/** Proposals by ordinal of every turn that a copy has, also of turns without any. */
function proposalsByTurn(records: Iterable<NeutralRecord>): Map<number, Proposals> {
  const turns = new Map<number, Proposals>();
  for (const record of records) {
    if (record.type === "run" || record.turn === undefined) continue;
    const proposals: Proposals = turns.get(record.turn) ?? new Map();
    turns.set(record.turn, proposals);
    if (record.type !== "call" || record.ordinal === undefined || record.has_result === true) continue;
    proposals.set(record.ordinal, { signature: record.signature, keyId: record.key_id });
  }
  return turns;
}

function sameProposals(a: Proposals, b: Proposals): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([ordinal, one]) => {
    const other = b.get(ordinal);
    return other !== undefined && (one.keyId !== other.keyId || one.signature === other.signature);
  });
}

/** Which lines are new, which say something else than before, and which say the same. */
export function compareLines(known: KnownLines, observations: readonly Observation[]) {
  const fresh: Observation[] = [];
  const changed: Observation[] = [];
  const same: Observation[] = [];
  for (const observation of observations) {
    const before = known.get(observation.span_id);
    if (before === undefined) fresh.push(observation);
    else if (sameRecord(before, observation.record)) same.push(observation);
    else changed.push(observation);
  }
  return { fresh, changed, same };
}

/** The order of fields is the database's own. */
function sameRecord(a: NeutralRecord, b: NeutralRecord): boolean {
  const text = (record: NeutralRecord) => JSON.stringify(Object.entries(record).sort(([x], [y]) => (x < y ? -1 : 1)));
  return text(a) === text(b);
}
