/** The questions of the pages, asked of the service that serves them, again and again while the tab is seen. */
import { keepPreviousData, QueryClient, type UseQueryResult, useQuery } from "@tanstack/react-query";
import {
  ApiError,
  clientQuestions,
  type FingerprintsAnswer,
  type FunnelAnswer,
  type RunAnswer,
  type RunsAnswer,
  type ScopeQuery,
  type TimelineAnswer,
  type ToolsAnswer,
  type ValuesAnswer,
} from "../../analytics/client/client.ts";
import { useRefresh } from "./state/refresh.ts";
import { useScope } from "./state/scope.ts";
import { useToken } from "./state/token.ts";

/** An answer that may not be there yet, may be of the scope before, or may have failed to be renewed. */
export type Asked<Answer> = UseQueryResult<Answer, Error>;

type Questions = ReturnType<typeof clientQuestions>;
/** Parameters beside the page's scope: they win over it. `undefined` takes one out. */
type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Waiting makes a refusal no better; a service that is away or starting may be back in a moment. */
const mayPass = (error: Error) => error instanceof ApiError && (error.status === 0 || error.status === 503);

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // The service is most often on this machine: no network is no reason not to ask.
        networkMode: "always",
        retry: (failures, error) => mayPass(error) && failures < 1,
        retryDelay: 1_000,
        placeholderData: keepPreviousData,
        staleTime: 2_000,
      },
    },
  });
}

function useAsked<Answer>(key: readonly unknown[], ask: (questions: Questions) => Promise<Answer>): Asked<Answer> {
  const token = useToken();
  const { milliseconds } = useRefresh();
  return useQuery<Answer, Error>({
    queryKey: [...key, token],
    queryFn: () => ask(clientQuestions({ url: window.location.origin, ...(token === null ? {} : { token }) })),
    refetchInterval: milliseconds,
  });
}

/** The page's scope with a question's own parameters. */
function useScoped(parameters: Parameters = {}): ScopeQuery {
  const { query } = useScope();
  const merged = Object.entries({ ...query, ...parameters }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(merged) as ScopeQuery;
}

/** Times only have a length to group by where the question takes them; `kind` means nothing to these two. */
const WITHOUT_KIND = { kind: undefined } as const;

export function useFunnel(parameters?: Parameters): Asked<FunnelAnswer> {
  const query = useScoped(parameters);
  return useAsked(["funnel", query], (questions) => questions.funnel(query));
}

export function useTools(parameters?: Parameters): Asked<ToolsAnswer> {
  const query = useScoped(parameters);
  return useAsked(["tools", query], (questions) => questions.tools(query));
}

export function useFingerprints(parameters?: Parameters): Asked<FingerprintsAnswer> {
  const query = useScoped(parameters);
  return useAsked(["fingerprints", query], (questions) => questions.fingerprints(query));
}

/** `bucket`: minute, hour or day; the service chooses where it is left out. */
export function useTimeline(parameters?: Parameters): Asked<TimelineAnswer> {
  const query = useScoped(parameters);
  return useAsked(["timeline", query], (questions) => questions.timeline(query));
}

/** What each dimension's filter can be set to, with calls. */
export function useValues(parameters?: Parameters): Asked<ValuesAnswer> {
  const query = useScoped({ ...WITHOUT_KIND, ...parameters });
  return useAsked(["values", query], (questions) => questions.values(query));
}

/** `outcome`, `before`, `limit` beside the scope. */
export function useRuns(parameters?: Parameters): Asked<RunsAnswer> {
  const query = useScoped({ ...WITHOUT_KIND, ...parameters });
  return useAsked(["runs", query], (questions) => questions.runs(query));
}

/** Null where there is no such run. A run has no scope: it is shown whole. */
export function useRun(id: string): Asked<RunAnswer | null> {
  return useAsked(["run", id], (questions) => questions.run(id));
}
