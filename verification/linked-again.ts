/** Assembled runs → counts, episodes and repair links, once more: by the pure function that the linker uses. */
import type { Kysely } from "kysely";
import { Cohorts, type CohortValues } from "../analytics/episodes/linker-cohorts.ts";
import { linkedRows } from "../analytics/episodes/linker-results.ts";
import { continuationOf, type LoadedCall, type LoadedRun, turnOf } from "../analytics/episodes/linker-rows.ts";
import type { LinkSettings } from "../analytics/episodes/types.ts";
import type { AssembledCall, AssembledRun, AssembledTurn } from "../collector/assembly/types.ts";
import type { Database, NewAttemptRow, NewEpisodeRow, NewRunCountRow } from "../database/schema.ts";
import { continuationsOf } from "./continuations.ts";

/** An episode without the mark of being in the rollups, which depends on when the worker came by. */
export interface ExpectedEpisode {
  readonly row: Omit<NewEpisodeRow, "rolled">;
  /** Milliseconds since 1970, or infinite. */
  readonly settlesAt: number;
}

export interface LinkedRows {
  readonly counts: readonly NewRunCountRow[];
  readonly episodes: readonly ExpectedEpisode[];
  readonly attempts: readonly NewAttemptRow[];
}

export interface LinkedAgain {
  readonly runs: ReadonlyMap<string, LinkedRows>;
  /** Every cohort that the rows name, by id. */
  readonly cohorts: ReadonlyMap<string, CohortValues>;
  /** See `Continuations`. */
  readonly undecided: ReadonlySet<string>;
}

/** Links the runs; of the database it asks only whether other runs have closed their continuations. */
export async function linkedAgain(
  trx: Kysely<Database>,
  { projectId, settings, now }: { readonly projectId: number; readonly settings: LinkSettings; readonly now: Date },
  runs: readonly AssembledRun[],
): Promise<LinkedAgain> {
  const callsOf = new Map(runs.map((run) => [run.run_id, run.calls.map((call) => loadedCall(run.run_id, call))]));
  const results = new Map(
    runs
      .filter(({ ended }) => !ended)
      .map(({ run_id }) => [
        run_id,
        callsOf
          .get(run_id)!
          .map(continuationOf)
          .filter((result) => result !== null),
      ]),
  );
  const { open, undecided } = await continuationsOf(trx, projectId, results);
  const cohorts = new Cohorts();
  const linked = runs.map((run): [string, LinkedRows] => {
    const toLink = {
      run: loadedRun(projectId, run),
      turns: run.turns.map((turn) => turnOf(loadedTurn(run.run_id, turn))),
      calls: callsOf.get(run.run_id)!,
      waiting: open.has(run.run_id),
    };
    const { counts, episodes, attempts } = linkedRows(toLink, { settings, now, cohorts });
    return [run.run_id, { counts, attempts, episodes: episodes.map(expectedEpisode) }];
  });
  return { runs: new Map(linked), cohorts: cohorts.values, undecided };
}

function expectedEpisode({ rolled: _, ...row }: NewEpisodeRow): ExpectedEpisode {
  const { settles_at } = row;
  if (settles_at === "infinity") return { row, settlesAt: Number.POSITIVE_INFINITY };
  if (settles_at === "-infinity") return { row, settlesAt: Number.NEGATIVE_INFINITY };
  return { row, settlesAt: new Date(settles_at).getTime() };
}

// What the linker would load, had the assembler just written it.

function loadedRun(projectId: number, run: AssembledRun): LoadedRun {
  return {
    ...run,
    project_id: projectId,
    turns: run.turns.length,
    calls: run.proposed_calls,
    started_at: new Date(run.started_at),
    ended_at: new Date(run.ended_at),
    last_received_at: new Date(run.last_received_at),
  };
}

function loadedTurn(runId: string, turn: AssembledTurn): Parameters<typeof turnOf>[0] {
  const textOf = (count: number | null) => (count === null ? null : String(count));
  return {
    ...turn,
    run_id: runId,
    input_tokens: textOf(turn.input_tokens),
    cached_input_tokens: textOf(turn.cached_input_tokens),
    cache_write_tokens: textOf(turn.cache_write_tokens),
    output_tokens: textOf(turn.output_tokens),
  };
}

function loadedCall(runId: string, call: AssembledCall): LoadedCall {
  return {
    ...call,
    run_id: runId,
    argument_digests: call.argument_digests === null ? null : [...call.argument_digests],
    start_time: new Date(call.start_time),
    end_time: new Date(call.end_time),
  };
}
