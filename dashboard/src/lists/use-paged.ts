/** A list that goes on: the first rows are renewed with all that were loaded after them, so that it has no gap. */
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { clientQuestions, type Header, type ScopeQuery } from "../../../analytics/client/client.ts";
import { useRefresh } from "../state/refresh.ts";
import { useToken } from "../state/token.ts";

type Questions = ReturnType<typeof clientQuestions>;

/** Rows of one request. */
const ROWS = "50";

interface PageAnswer extends Header {
  readonly total: number;
  readonly next: string | null;
}

export interface Paged<Answer> {
  /** The answers so far, the newest rows first; the same fields as a question that is asked once. */
  readonly data: readonly Answer[] | undefined;
  readonly error: Error | null;
  readonly isPlaceholderData: boolean;
  refetch(): unknown;
  /** Null where there are no more rows. */
  readonly more: (() => void) | null;
  readonly loadingMore: boolean;
}

/**
 * Asks for the first page and, on demand, for those after it.
 *
 * @param name of the question, for the cache
 * @param query parameters without `before` and `limit`
 */
export function usePaged<Answer extends PageAnswer>(
  name: string,
  query: object,
  ask: (questions: Questions, query: ScopeQuery & { before?: string }) => Promise<Answer>,
): Paged<Answer> {
  const token = useToken();
  const { milliseconds } = useRefresh();
  const asked = useInfiniteQuery({
    queryKey: [name, "pages", query, token],
    queryFn: ({ pageParam }) => {
      const questions = clientQuestions({ url: window.location.origin, ...(token === null ? {} : { token }) });
      return ask(questions, { ...query, limit: ROWS, ...(pageParam === null ? {} : { before: pageParam }) });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: milliseconds,
    placeholderData: keepPreviousData,
  });
  const { data, error, isPlaceholderData, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = asked;
  return {
    data: data?.pages,
    error,
    isPlaceholderData,
    refetch,
    more: hasNextPage ? () => void fetchNextPage() : null,
    loadingMore: isFetchingNextPage,
  };
}
