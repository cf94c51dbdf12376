import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import type { CountedCall, CountedRun } from "../../../analytics/episodes/count.ts";
import type { ContinuationResult } from "../../../analytics/episodes/settle.ts";
import { ensurePartitions } from "../../../database/partitions.ts";
import type { Database, NewCallRow, NewRunRow } from "../../../database/schema.ts";

export const PROJECT = 1;

/** A run as it lies in the database, with what its calls said of continuations. */
export interface StoredRun {
  readonly runId: string;
  readonly run: CountedRun;
  readonly results?: readonly ContinuationResult[];
  /** Columns of single calls that linking does not know, by `turn:ordinal`. */
  readonly overrides?: Readonly<Record<string, Partial<NewCallRow>>>;
  /** Where the run's times come from; `span` if absent. */
  readonly timeSource?: NewRunRow["time_source"];
}

/** Empties every table but that of projects. */
export async function emptyTables(db: Kysely<Database>): Promise<void> {
  for (const table of [
    ...(["observation", "unassembled", "run", "turn", "call", "dirty_run", "episode", "attempt"] as const),
    ...(["run_count", "cohort", "call_day", "call_hour", "episode_day", "episode_hour"] as const),
  ]) {
    await db.deleteFrom(table).execute();
  }
}

/** Takes the rows of the run away, as the assembler does with a run whose last observation stands in another one now. */
export async function removeRun(db: Kysely<Database>, runId: string, markedAt: Date): Promise<void> {
  for (const table of ["run", "turn", "call"] as const)
    await db.deleteFrom(table).where("run_id", "=", runId).execute();
  await mark(db, runId, markedAt);
}

/** Replaces the rows of the run as the collector's assembler does, and marks the run to be linked. */
export async function storeRun(db: Kysely<Database>, stored: StoredRun, markedAt: Date): Promise<void> {
  const { runId, run } = stored;
  const last = run.calls.at(-1)?.startedAt ?? run.lastReceivedAt;
  const timeOfTurn = (turn: number) => new Date(run.calls.find((call) => call.turn >= turn)?.startedAt ?? last);
  const turns = run.turns.map((turn) => ({
    project_id: PROJECT,
    run_id: runId,
    turn: turn.turn,
    leg: 0,
    turn_source: "exact" as const,
    model: turn.model,
    input_tokens: turn.inputTokens,
    cached_input_tokens: turn.cachedInputTokens,
    cache_write_tokens: turn.cacheWriteTokens,
    output_tokens: turn.outputTokens,
    duration_ms: turn.durationMs,
    start_time: timeOfTurn(turn.turn),
  }));
  const calls = run.calls.map((call) => callRow(stored, call));
  const times = [...turns.map(({ start_time }) => start_time), ...run.calls.map((call) => new Date(call.startedAt))];
  await ensurePartitions(db, "turn", times);
  await ensurePartitions(db, "call", times);
  await db.transaction().execute(async (trx) => {
    for (const table of ["run", "turn", "call"] as const) {
      await trx.deleteFrom(table).where("run_id", "=", runId).execute();
    }
    await trx.insertInto("run").values(runRow(stored, times)).execute();
    await trx.insertInto("turn").values(turns).execute();
    if (calls.length > 0) await trx.insertInto("call").values(calls).execute();
    await mark(trx, runId, markedAt);
  });
}

async function mark(db: Kysely<Database>, runId: string, markedAt: Date): Promise<void> {
  await db
    .insertInto("dirty_run")
    .values({ project_id: PROJECT, run_id: runId, marked_at: markedAt })
    .onConflict((conflict) => conflict.columns(["project_id", "run_id"]).doUpdateSet({ marked_at: markedAt }))
    .execute();
}

function runRow({ runId, run, timeSource = "span" }: StoredRun, times: readonly Date[]): NewRunRow {
  const sorted = times.toSorted((a, b) => a.getTime() - b.getTime());
  return {
    project_id: PROJECT,
    run_id: runId,
    source: "test",
    time_source: timeSource,
    outcome: run.outcome,
    ended: run.ended,
    legs: 1,
    turns: run.turns.length,
    text_only_turns: 0,
    calls: run.calls.length,
    left_out_calls: 0,
    started_at: sorted[0]!,
    ended_at: sorted.at(-1)!,
    first_received_at: new Date(run.lastReceivedAt),
    last_received_at: new Date(run.lastReceivedAt),
  };
}

function callRow({ runId, results = [], overrides = {} }: StoredRun, call: CountedCall): NewCallRow {
  const said = results.find(({ turn, ordinal }) => turn === call.turn && ordinal === call.ordinal);
  const identity = createHash("sha256").update(`${runId}\0${call.key}`).digest();
  return {
    project_id: PROJECT,
    trace_id: identity.subarray(0, 16),
    span_id: identity.subarray(16, 24),
    start_time: new Date(call.startedAt),
    end_time: new Date(said?.endedAt ?? call.startedAt + (call.durationMs ?? 0)),
    received_at: new Date(call.startedAt),
    duration_ms: call.durationMs,
    run_id: runId,
    leg: 0,
    turn: call.turn,
    ordinal: call.ordinal,
    turn_source: call.turnSource,
    call_id: call.callId,
    tool: call.tool,
    tool_source: call.toolSource,
    link_tool: call.linkTool,
    key_id: call.keyId,
    signature: call.signature,
    argument_digests: call.argumentDigests === null ? null : [...call.argumentDigests],
    repair_of: call.repairOf,
    operation_id: call.operationId,
    origin: "model",
    validated: call.validated,
    corrected: call.corrected,
    verdict: call.verdict,
    schema_verdict: call.schemaVerdict,
    failure_class: call.failureClass,
    has_result: call.hasResult,
    execution_attempts: 1,
    fingerprint: call.fingerprint,
    retryability: call.retryability,
    rung: call.rung,
    template_version: call.templateVersion,
    schema_version: call.schemaVersion,
    risk: call.risk,
    external: call.external,
    result_state: said?.state ?? null,
    continuation_id: said?.continuationId ?? null,
    model: call.model,
    agent_name: call.agentName,
    environment: call.environment,
    cohort: "{}",
    ...overrides[call.key],
  };
}
