import type { Kysely } from "kysely";
import type { AttemptRow, CohortRow, Database, EpisodeRow, RunCountRow } from "../../../database/schema.ts";
import { NOW, type Place } from "./vector-run.ts";
import { attemptTotals, type Found } from "./vectors.ts";

/** Columns of the dictionary. */
const COHORT = [
  ...(["tool", "tool_source", "schema_version", "template_version", "model", "agent_name", "environment"] as const),
  ...(["risk", "external", "fingerprint", "failure_class", "rung", "retryability", "timed", "flags"] as const),
] satisfies (keyof CohortRow)[];
type WithCohort<Row> = Row & Pick<CohortRow, (typeof COHORT)[number]>;

interface Rows {
  readonly episode: readonly WithCohort<EpisodeRow>[];
  readonly attempt: readonly AttemptRow[];
  readonly run_count: readonly WithCohort<RunCountRow>[];
}

/** What the linker wrote of one run, or of all, with what the dictionary says of each row's cohort, in a fixed order. */
export async function rowsOf(db: Kysely<Database>, runId?: string): Promise<Rows> {
  const runs = (await db.selectFrom("run").select("run_id").execute()).map((row) => row.run_id);
  const own = runId === undefined ? runs : [runId];
  return {
    episode: await db
      .selectFrom("episode")
      .innerJoin("cohort", (join) =>
        join.onRef("cohort.project_id", "=", "episode.project_id").onRef("cohort.cohort_id", "=", "episode.cohort_id"),
      )
      .selectAll("episode")
      .select(COHORT)
      .where("run_id", "in", own)
      .orderBy("run_id")
      .orderBy("kind")
      .orderBy("turn")
      .orderBy("ordinal")
      .execute(),
    attempt: await db
      .selectFrom("attempt")
      .selectAll()
      .where("run_id", "in", own)
      .orderBy("run_id")
      .orderBy("kind")
      .orderBy("opening_turn")
      .orderBy("opening_ordinal")
      .orderBy("attempt")
      .execute(),
    run_count: await db
      .selectFrom("run_count")
      .innerJoin("cohort", (join) =>
        join
          .onRef("cohort.project_id", "=", "run_count.project_id")
          .onRef("cohort.cohort_id", "=", "run_count.cohort_id"),
      )
      .selectAll("run_count")
      .select(COHORT)
      .where("run_id", "in", own)
      .orderBy("run_id")
      .orderBy("first_call_at")
      .orderBy("tool")
      .orderBy("failure_class")
      .orderBy("fingerprint")
      .orderBy("retryability")
      .execute(),
  };
}

/** The rows of one run under the vectors' names. */
export async function findStored(db: Kysely<Database>, runId: string): Promise<Found> {
  const rows = await rowsOf(db, runId);
  const calls = await db
    .selectFrom("call")
    .select(["turn", "ordinal", "link_tool"])
    .where("run_id", "=", runId)
    .execute();
  const episodes = rows.episode.map((row) => {
    const attempts = rows.attempt
      .filter((own) => own.kind === row.kind && own.opening_turn === row.turn && own.opening_ordinal === row.ordinal)
      .sort((a, b) => a.attempt - b.attempt);
    const opening = calls.find(({ turn, ordinal }) => turn === row.turn && ordinal === row.ordinal);
    return {
      ...row,
      opening: [row.turn, row.ordinal] as Place,
      // The vectors call an unknown tool by the name that was asked for.
      tool: row.tool === "_unknown" ? opening?.link_tool : row.tool,
      attempts: attempts.map(({ turn, ordinal }) => [turn, ordinal]),
      evidence: attempts.map(({ evidence }) => evidence),
      settled: Number(row.settles_at) <= NOW,
      usage_shares: [row.shares, row.shares_with_input_tokens, row.shares_with_output_tokens],
    };
  });
  const settled = episodes.filter((episode) => episode.settled);
  const share = (among: readonly Pick<EpisodeRow, "first_attempt_unchanged">[]) => ({
    n: among.filter((row) => row.first_attempt_unchanged === true).length,
    d: among.length,
  });
  const totals = {
    ...attemptTotals(
      rows.run_count.map((row) => ({
        firstAccepted: row.first_accepted,
        firstRejected: row.first_rejected,
        repairAccepted: row.repair_accepted,
        repairRejected: row.repair_rejected,
        repairUnknown: row.repair_unknown,
      })),
    ),
    transient_repeat: share(settled.filter((row) => row.retryability === "as_is")),
    repeat_after_denial: share(settled.filter((row) => row.kind === "denial")),
    episode_day: episodes[0]?.opened_at.toISOString().slice(0, 10),
  };
  return { episodes, totals };
}
