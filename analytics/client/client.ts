/** The typed client of the reading API. It takes only types from the server: no schema reaches a browser. */
import { hc } from "hono/client";
import type { Api } from "../api/app.ts";
import type { FingerprintsAnswer, FunnelAnswer, ToolsAnswer } from "../questions/answer.ts";
import type { EpisodesAnswer, RunsAnswer } from "../questions/list-answer.ts";
import type { Questions } from "../questions/questions.ts";
import type { RunAnswer } from "../questions/run-answer.ts";
import type { SummaryAnswer } from "../questions/summary-answer.ts";
import type { TimelineAnswer } from "../questions/timeline-answer.ts";
import type { ValuesAnswer } from "../questions/values-answer.ts";

export type { EpisodeKind } from "../episodes/types.ts";
export type { TerminalOutcome } from "../metrics/counts.ts";
export type {
  FingerprintRow,
  FingerprintsAnswer,
  FunnelAnswer,
  Group,
  Header,
  Measured,
  ToolsAnswer,
} from "../questions/answer.ts";
export type { EpisodesAnswer, RunsAnswer } from "../questions/list-answer.ts";
export type { Questions } from "../questions/questions.ts";
export type { RunAnswer } from "../questions/run-answer.ts";
export type { Dimension } from "../questions/scope.ts";
export type { ScopeQuery } from "../questions/scope-query.ts";
export type { TimelineAnswer, VersionChange } from "../questions/timeline-answer.ts";
export type { ValuesAnswer } from "../questions/values-answer.ts";
export type { Rate, Share } from "../statistics/rate.ts";

export interface ClientOptions {
  /** Where the server listens: `http://127.0.0.1:4318`. */
  readonly url: string;
  readonly token?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
}

/** The server refused or could not answer. The message is for a person; `field` names the parameter that is wrong. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly status: number;
  readonly field: string | undefined;

  constructor(status: number, message: string, field?: string) {
    super(message);
    this.status = status;
    this.field = field;
  }
}

/** The routes, each with the types of its parameters and answers. */
function createClient({ url, token, fetch }: ClientOptions) {
  return hc<Api>(url, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(fetch === undefined ? {} : { fetch }),
  });
}

/** The questions, asked of a server. Throws an ApiError where it does not answer. */
export function clientQuestions(options: ClientOptions): Questions {
  const { api } = createClient(options);
  const asked = (response: Promise<Answer>) => answerOf(options, response);
  return {
    funnel: async (query) => (await asked(api.v1.funnel.$get({ query }))) as FunnelAnswer,
    tools: async (query) => (await asked(api.v1.tools.$get({ query }))) as ToolsAnswer,
    fingerprints: async (query) => (await asked(api.v1.fingerprints.$get({ query }))) as FingerprintsAnswer,
    timeline: async (query) => (await asked(api.v1.timeline.$get({ query }))) as TimelineAnswer,
    values: async (query) => (await asked(api.v1.values.$get({ query }))) as ValuesAnswer,
    episodes: async (query) => (await asked(api.v1.episodes.$get({ query }))) as EpisodesAnswer,
    runs: async (query) => (await asked(api.v1.runs.$get({ query }))) as RunsAnswer,
    summary: async (query) => (await asked(api.v1.summary.$get({ query }))) as SummaryAnswer,
    run: async (id) => {
      try {
        return (await asked(api.v1.runs[":id"].$get({ param: { id: encodeURIComponent(id) } }))) as RunAnswer;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  };
}

/** The part of a response that is read here, whatever its body's type. */
interface Answer {
  readonly status: number;
  text(): Promise<string>;
}

async function answerOf({ url, token }: ClientOptions, asked: Promise<Answer>): Promise<unknown> {
  const response = await asked.catch((cause: unknown) => {
    throw new ApiError(0, `${url} does not answer (${reasonOf(cause)}): is the server still running?`);
  });
  const body = parsed(await response.text());
  if (response.status === 200) return body;
  if (response.status === 401 || response.status === 403) {
    const why = token === undefined ? "asks for a token" : "refuses this token";
    throw new ApiError(response.status, `${url} ${why}: set MULLIGAN_READ_TOKEN to the server's read token.`);
  }
  const first = isRefusal(body) ? body.errors[0] : undefined;
  throw new ApiError(
    response.status,
    first?.message ?? `${url} answered with status ${response.status}.`,
    first?.field,
  );
}

/** `ECONNREFUSED`: what fetch hides in the cause of its "fetch failed". */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (typeof cause === "object" && cause !== null && "code" in cause) return String(cause.code);
  return cause instanceof Error ? cause.message : String(cause);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRefusal(body: unknown): body is { errors: { field: string; message: string }[] } {
  return typeof body === "object" && body !== null && "errors" in body && Array.isArray(body.errors);
}
