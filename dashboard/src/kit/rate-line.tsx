/** A rate is never a bare percentage: value, n of N, interval as text and as a bar, and what is pending. */
import type { Rate, Share } from "../../../analytics/client/client.ts";
import { formatCount, formatInterval, formatOf, formatPercent, NO_EVIDENCE } from "../../../analytics/client/format.ts";
import { IntervalBar, isLittle } from "./interval-bar.tsx";

/** For tests and tools that read the page: which rate this is. */
type Named = { readonly name?: string };

/** `86.4 %` large, the rest under it. Takes the width that it is given. */
export function RateLine({ rate, name, large = false }: { readonly rate: Rate; readonly large?: boolean } & Named) {
  const { value, interval, pending } = rate;
  const waits = pending === 0 ? null : <span className="rate-pending">{formatCount(pending)} pending</span>;
  return (
    <div
      className={`rate ${large ? "rate-large" : ""} ${value === null || isLittle(rate) ? "is-little" : ""}`}
      data-rate={name}
    >
      <span className="rate-value">{value === null ? NO_EVIDENCE : formatPercent(value)}</span>
      <span className="rate-counts">
        {value === null ? null : <span>{formatOf(rate)}</span>}
        {waits}
      </span>
      <span className="rate-interval">
        <IntervalBar rate={rate} />
        <span className="rate-bounds">{interval === null ? null : formatInterval(interval)}</span>
      </span>
    </div>
  );
}

/** The same in one cell of a table: text and bar, nothing else. */
export function RateCell({ rate, name }: { readonly rate: Rate } & Named) {
  return <RateLine rate={rate} {...(name === undefined ? {} : { name })} />;
}

/** `38 of 44 (86.4 %)` where no claim is made beyond what was counted. */
export function ShareText({ share }: { readonly share: Share }) {
  if (share.value === null) return <span className="quiet">{NO_EVIDENCE}</span>;
  return (
    <span className="share">
      {formatOf(share)} <span className="quiet">({formatPercent(share.value)})</span>
    </span>
  );
}
