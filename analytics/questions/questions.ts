/** What API and terminal share: the questions that can be asked, whoever answers them. */
import type { Kysely } from "kysely";
import type { Database } from "../../database/schema.ts";
import type { FingerprintsAnswer, FunnelAnswer, ToolsAnswer } from "./answer.ts";
import { fingerprints } from "./fingerprints.ts";
import { funnel } from "./funnel.ts";
import { run } from "./run.ts";
import type { RunAnswer } from "./run-answer.ts";
import { type ScopeQuery, type SummaryQuery, scopeOf } from "./scope-query.ts";
import { summary } from "./summary.ts";
import type { SummaryAnswer } from "./summary-answer.ts";
import { tools } from "./tools.ts";

/**
 * The questions. Each states its scope as the parameters of the API, so that a database and a server are asked alike.
 * A question that cannot be answered as it was asked throws a QuestionError.
 */
export interface Questions {
  funnel(query: ScopeQuery): Promise<FunnelAnswer>;
  tools(query: ScopeQuery): Promise<ToolsAnswer>;
  fingerprints(query: ScopeQuery): Promise<FingerprintsAnswer>;
  summary(query: SummaryQuery): Promise<SummaryAnswer>;
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
  const scope = (query: ScopeQuery) => scopeOf(query, { projectId, asOf: clock() });
  return {
    funnel: async (query) => funnel(db, scope(query)),
    tools: async (query) => tools(db, scope(query)),
    fingerprints: async (query) => fingerprints(db, scope(query)),
    summary: async (query) => summary(db, scope(query)),
    run: async (id) => run(db, scope({ last: "all" }), id),
  };
}
