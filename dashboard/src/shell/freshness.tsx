/** How old the figures are, whether they are still renewed, and what waits to come in. */
import { type QueryCache, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { ApiError } from "../../../analytics/client/client.ts";
import { formatAge, formatCountOf } from "../../../analytics/client/format.ts";
import { Stale } from "../kit/states.tsx";
import { useRefresh } from "../state/refresh.ts";

export function Freshness() {
  const client = useQueryClient();
  const { milliseconds, refresh } = useRefresh();
  const seen = useSeen(client.getQueryCache());
  const now = useNow();
  const { updatedAt, failure, fetching, waiting } = seen;
  const again = () => void client.refetchQueries({ type: "active" });
  if (updatedAt === null) return null;
  const age = Math.max(0, now - updatedAt);
  const ago = formatAge(new Date(updatedAt), new Date(updatedAt + age));
  const late = milliseconds !== false && age > 2 * milliseconds + 1_000;
  const why = failure === null ? "it has not been asked since" : failure;
  return (
    <div className="freshness">
      {failure !== null || (late && !fetching) ? (
        <Stale>
          Updated {ago}: {why}.{" "}
          <button type="button" className="link-button" onClick={again}>
            Ask again
          </button>
        </Stale>
      ) : (
        <p className="note">
          <span>Updated {ago}</span>
          {refresh === "off" ? " · refresh is off" : null}
          {waiting === 0
            ? null
            : ` · ${formatCountOf(waiting, "run waits", "runs wait")} to be linked and ${waiting === 1 ? "is" : "are"} in no rate yet`}
        </p>
      )}
      <p className="visually-hidden" aria-live="polite">
        {failure === null ? "" : `The figures are no longer renewed: ${failure}.`}
      </p>
    </div>
  );
}

interface Seen {
  /** When the oldest of the figures that are shown came, in milliseconds since 1970. */
  readonly updatedAt: number | null;
  readonly failure: string | null;
  readonly fetching: boolean;
  readonly waiting: number;
}

/** Of the questions that the page asks now. */
function useSeen(cache: QueryCache): Seen {
  const subscribe = useCallback((changed: () => void) => cache.subscribe(changed), [cache]);
  const text = useSyncExternalStore(subscribe, () => JSON.stringify(look(cache)));
  return JSON.parse(text) as Seen;
}

function look(cache: QueryCache): Seen {
  const shown = cache.getAll().filter((query) => query.isActive() && query.state.data !== undefined);
  const failed = shown.map(({ state }) => state.error ?? state.fetchFailureReason).find((error) => error !== null);
  const waits = shown.map(({ state }) => (state.data as { runs_waiting?: number } | null)?.runs_waiting ?? 0);
  return {
    updatedAt: shown.length === 0 ? null : Math.min(...shown.map(({ state }) => state.dataUpdatedAt)),
    failure: failed === undefined ? null : reason(failed),
    fetching: shown.some(({ state }) => state.fetchStatus === "fetching"),
    waiting: Math.max(0, ...waits),
  };
}

function reason(error: Error | null): string {
  if (error instanceof ApiError && error.status === 0) return "the service does not answer";
  if (error instanceof ApiError && error.status === 401) return "the service asks for its read token";
  return "the service could not answer";
}

function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
