/** What API and terminal share: the questions that can be asked, whoever answers them. */
import type { Kysely } from "kysely";
import type { Database } from "../../database/schema.ts";
import type { FingerprintsAnswer, FunnelAnswer, ToolsAnswer } from "./answer.ts";
import { listEpisodes } from "./episodes.ts";
import { fingerprints } from "./fingerprints.ts";
import { funnel } from "./funnel.ts";
import type { EpisodesAnswer, RunsAnswer } from "./list-answer.ts";
import {
  type EpisodesQuery,
  episodesFilter,
  type RunsQuery,
  runsFilter,
  scopePart,
  type TimelineQuery,
  type ValuesQuery,
} from "./page-query.ts";
import { run } from "./run.ts";
import type { RunAnswer } from "./run-answer.ts";
import { listRuns } from "./runs.ts";
import { type ScopeQuery, type SummaryQuery, scopeOf } from "./scope-query.ts";
import { summary } from "./summary.ts";
import type { SummaryAnswer } from "./summary-answer.ts";
import { timeline } from "./timeline.ts";
import type { TimelineAnswer } from "./timeline-answer.ts";
import { tools } from "./tools.ts";
import { values } from "./values.ts";
import type { ValuesAnswer } from "./values-answer.ts";

/**
 * The questions. Each states its scope as the parameters of the API, so that a database and a server are asked alike.
 * A question that cannot be answered as it was asked throws a QuestionError.
 */
export interface Questions {
  funnel(query: ScopeQuery): Promise<FunnelAnswer>;
  tools(query: ScopeQuery): Promise<ToolsAnswer>;
  fingerprints(query: ScopeQuery): Promise<FingerprintsAnswer>;
  timeline(query: TimelineQuery): Promise<TimelineAnswer>;
  values(query: ValuesQuery): Promise<ValuesAnswer>;
  summary(query: SummaryQuery): Promise<SummaryAnswer>;
  episodes(query: EpisodesQuery): Promise<EpisodesAnswer>;
  runs(query: RunsQuery): Promise<RunsAnswer>;
  /** Null where there is no such run. */
  run(id: string): Promise<RunAnswer | null>;
}

/** Answers from a database. */
export function databaseQuestions(options: {
  readonly db: Kysely<Database>;
  readonly clock: () => Date;
  readonly projectId: number;
}): Questions {
  const { db, clock, projectId } = options;
  const scope = (query: ScopeQuery) => scopeOf(scopePart(query), { projectId, asOf: clock() });
  return {
    funnel: async (query) => funnel(db, scope(query)),
    tools: async (query) => tools(db, scope(query)),
    fingerprints: async (query) => fingerprints(db, scope(query)),
    timeline: async (query) => timeline(db, scope(query), query.bucket),
    values: async (query) => values(db, scope(query)),
    summary: async (query) => summary(db, scope(query)),
    episodes: async (query) => listEpisodes(db, scope(query), episodesFilter(query)),
    runs: async (query) => listRuns(db, scope(query), runsFilter(query)),
    run: async (id) => run(db, scope({ last: "all" }), id),
  };
}
