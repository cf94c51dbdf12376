import { type Kysely, sql } from "kysely";
import type { CallRow, CohortRow, Database, EpisodeRow, RunRow, TurnRow } from "../../database/schema.ts";
import { headerOf } from "./header.ts";
import { QuestionError, shown } from "./question-error.ts";
import type { RunAnswer } from "./run-answer.ts";
import type { Scope } from "./scope.ts";
import { type Snapshot, snapshot } from "./snapshot.ts";

/**
 * One run with its turns, calls and links, by its id or, for imported runs, by the file's own run key.
 *
 * Null where there is none. Throws a QuestionError where several runs have the key, it lists their ids, and where the id
 * holds a NUL character, which Postgres cannot compare.
 */
export function run(db: Kysely<Database>, scope: Scope, id: string): Promise<RunAnswer | null> {
  return snapshot(db, scope, async (at) => {
    const { db } = at;
    const row = await find(db, scope.projectId, id);
    if (row === undefined) return null;
    const { projectId } = scope;
    const ofRun = { project_id: projectId, run_id: row.run_id };
    const turns = await db
      .selectFrom("turn")
      .selectAll()
      .where((eb) => eb.and(ofRun))
      .orderBy("turn")
      .execute();
    const calls = await db
      .selectFrom("call")
      .selectAll()
      .where((eb) => eb.and(ofRun))
      .orderBy("turn")
      .orderBy("ordinal")
      .orderBy("start_time")
      .execute();
    const episodes = await db
      .selectFrom("episode")
      .innerJoin("cohort", (join) =>
        join.onRef("cohort.project_id", "=", "episode.project_id").onRef("cohort.cohort_id", "=", "episode.cohort_id"),
      )
      .selectAll("episode")
      .select(["tool", "tool_source", "failure_class", "fingerprint"])
      .where("episode.project_id", "=", projectId)
      .where("episode.run_id", "=", row.run_id)
      .orderBy("turn")
      .orderBy("ordinal")
      .orderBy("kind")
      .execute();
    const attempts = await db
      .selectFrom("attempt")
      .selectAll()
      .where((eb) => eb.and(ofRun))
      .orderBy("attempt")
      .execute();
    const children = await db
      .selectFrom("run")
      .select("run_id")
      .where("project_id", "=", projectId)
      .where("parent_run_id", "=", row.run_id)
      .orderBy("started_at")
      .execute();
    const { scope: _, ...header } = await headerOf(at);
    return {
      ...header,
      run: {
        ...runFields(row),
        child_runs: children.map(({ run_id }) => run_id),
        waiting: await waits(at, row.run_id),
      },
      turns: turns.map(turnFields),
      calls: calls.map(callFields),
      episodes: episodes.map((episode) => ({
        ...episodeFields(episode, scope.asOf),
        attempts: attempts
          .filter(
            ({ kind, opening_turn, opening_ordinal }) =>
              kind === episode.kind && opening_turn === episode.turn && opening_ordinal === episode.ordinal,
          )
          .map(({ turn, ordinal, evidence }) => ({ turn, ordinal, evidence })),
      })),
    };
  });
}

async function find(db: Kysely<Database>, projectId: number, id: string): Promise<RunRow | undefined> {
  if (id.includes("\0")) {
    throw new QuestionError(
      "id",
      `id is ${shown(id)} with a NUL character, which no stored id holds: send the id as mulligan runs --json lists it.`,
    );
  }
  const runs = db.selectFrom("run").selectAll().where("project_id", "=", projectId);
  const byId = await runs.where("run_id", "=", id).executeTakeFirst();
  if (byId !== undefined) return byId;
  const byKey = await runs.where("run_key", "=", id).orderBy("run_id").limit(6).execute();
  if (byKey.length > 1) {
    const ids = byKey.slice(0, 5).map(({ run_id }) => run_id);
    throw new QuestionError(
      "id",
      `${shown(id)} is the run key of several runs: ${ids.join(", ")}${byKey.length > 5 ? ", …" : ""}. Ask for one of these ids.`,
    );
  }
  return byKey[0];
}

async function waits({ db, waiting }: Snapshot, runId: string): Promise<boolean> {
  if (waiting.runs === null) return false;
  const { rows } = await sql`
    -- one row where the run waits
    select w.run_id from (${waiting.runs}) as w where w.run_id = ${runId} limit 1
  `.execute(db);
  return rows.length > 0;
}

function runFields(row: RunRow) {
  return {
    run_id: row.run_id,
    run_key: row.run_key,
    source: row.source,
    time_source: row.time_source,
    agent: row.agent_name,
    agent_version: row.agent_version,
    conversation_id: row.conversation_id,
    environment: row.environment,
    service_name: row.service_name,
    parent_run_id: row.parent_run_id,
    parent_call_id: row.parent_call_id,
    model: row.model,
    outcome: row.outcome,
    budget: row.budget,
    ended: row.ended,
    legs: row.legs,
    model_turns: row.turns,
    text_only_turns: row.text_only_turns,
    calls: row.calls,
    left_out_calls: row.left_out_calls,
    started_at: row.started_at.toISOString(),
    ended_at: row.ended_at.toISOString(),
    last_received_at: row.last_received_at.toISOString(),
  };
}

/** 64-bit columns arrive as text; token counts are far below 2^53. */
function toNumber(text: string | null): number | null {
  return text === null ? null : Number(text);
}

function turnFields(row: TurnRow): RunAnswer["turns"][number] {
  return {
    turn: row.turn,
    leg: row.leg,
    turn_source: row.turn_source,
    model: row.model,
    provider: row.provider,
    input_tokens: toNumber(row.input_tokens),
    cached_input_tokens: toNumber(row.cached_input_tokens),
    cache_write_tokens: toNumber(row.cache_write_tokens),
    output_tokens: toNumber(row.output_tokens),
    duration_ms: row.duration_ms,
    started_at: row.start_time.toISOString(),
  };
}

function labelOf(row: { readonly tool: string; readonly tool_source: string | null }): string {
  return row.tool_source === null ? row.tool : `${row.tool}@${row.tool_source}`;
}

function callFields(row: CallRow): RunAnswer["calls"][number] {
  return {
    turn: row.turn,
    ordinal: row.ordinal,
    leg: row.leg,
    tool: labelOf(row),
    nearest: row.nearest,
    call_id: row.call_id,
    origin: row.origin,
    verdict: row.verdict,
    failure_class: row.failure_class,
    has_result: row.has_result,
    fingerprint: row.fingerprint,
    fingerprints: row.fingerprints ?? [],
    retryability: row.retryability,
    rung: row.rung,
    signature: row.signature,
    key_id: row.key_id,
    argument_digests: row.argument_digests,
    schema_verdict: row.schema_verdict,
    validated: row.validated,
    corrected: row.corrected,
    execution_attempts: row.execution_attempts,
    schema_version: row.schema_version,
    template_version: row.template_version,
    risk: row.risk,
    result_state: row.result_state,
    started_at: row.start_time.toISOString(),
    duration_ms: row.duration_ms,
  };
}

type EpisodeOfTool = EpisodeRow & Pick<CohortRow, "tool" | "tool_source" | "failure_class" | "fingerprint">;

function episodeFields(row: EpisodeOfTool, asOf: Date): Omit<RunAnswer["episodes"][number], "attempts"> {
  return {
    kind: row.kind,
    tool: labelOf(row),
    opening: { turn: row.turn, ordinal: row.ordinal },
    failure_class: row.failure_class!,
    fingerprint: row.fingerprint,
    settled: Number(row.settles_at) <= asOf.getTime(),
    decided: row.decided,
    repaired: row.repaired,
    repair_turns: row.repair_turns,
    funnel_row: row.funnel_row,
    next_action: row.next_action,
    next_tool: row.next_tool,
    unchanged_repeat: row.unchanged_repeat,
    targeted_change: row.targeted_change,
    extra_model_turns: row.extra_model_turns,
    usage: {
      model_turns: row.attributed_model_turns,
      input_tokens: row.attributed_input_tokens,
      cached_input_tokens: row.attributed_cached_input_tokens,
      cache_write_tokens: row.attributed_cache_write_tokens,
      output_tokens: row.attributed_output_tokens,
      duration_ms: row.attributed_duration_ms,
    },
  };
}
