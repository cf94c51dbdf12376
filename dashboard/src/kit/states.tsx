/** What stands where an answer would: nothing there, not there yet, not to be had, no longer renewed. */
import type { ReactNode } from "react";
import { ApiError } from "../../../analytics/client/client.ts";
import type { Asked } from "../api.ts";
import { TokenForm } from "./token-form.tsx";

/** Says what is missing and which event would fill it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** Bars in the height of what comes, so that nothing jumps. */
export function Loading({ lines = 4, height }: { readonly lines?: number; readonly height?: number }) {
  return (
    <div className="loading" role="status" {...(height === undefined ? {} : { style: { minHeight: height } })}>
      <span className="visually-hidden">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars without identity
        <span key={line} className="loading-bar" style={{ width: `${92 - ((line * 17) % 40)}%` }} />
      ))}
    </div>
  );
}

/** The service's own words, and a way on. */
function Failure({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  const status = error instanceof ApiError ? error.status : null;
  if (status === 401 || status === 403) return <TokenForm />;
  const title =
    status === 0
      ? "The service does not answer"
      : status === 400
        ? "This cannot be answered as it is asked"
        : status === 503
          ? "The service is not ready yet"
          : "The service could not answer";
  return (
    <div className="failure" role="alert">
      <p className="failure-title">{title}</p>
      <p>
        {status === 0
          ? "It may have been stopped. The page asks again by itself; start it with npm run -s mulligan -- serve."
          : error.message}
      </p>
      {retry === undefined ? null : (
        <button type="button" onClick={retry}>
          Ask again
        </button>
      )}
    </div>
  );
}

/** Over figures that are shown although they could not be renewed. */
export function Stale({ children }: { readonly children: ReactNode }) {
  return (
    <p className="stale" role="status">
      {children}
    </p>
  );
}

/** What is needed of a question: a list that goes on has it too. */
export type Answerable<Answer> = Pick<Asked<Answer>, "error" | "isPlaceholderData"> & {
  readonly data: Answer | undefined;
  refetch(): unknown;
};

export interface AnsweredProps<Answer> {
  readonly asked: Answerable<Answer>;
  readonly loading?: ReactNode;
  readonly children: (answer: Answer) => ReactNode;
}

/** The answer, or the state in its place. What is already there stays while it is renewed, or while renewing fails. */
export function Answered<Answer>({ asked, loading = <Loading />, children }: AnsweredProps<Answer>) {
  const { data, error, isPlaceholderData } = asked;
  // An old scope's figures may not stand under a new scope that cannot be answered.
  if (error !== null && (data === undefined || isPlaceholderData || refused(error))) {
    return <Failure error={error} retry={() => void asked.refetch()} />;
  }
  if (data === undefined) return loading;
  return (
    <div className="answered" aria-busy={isPlaceholderData}>
      {children(data)}
    </div>
  );
}

function refused(error: Error): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500;
}
