/** A proportion on a line from 0 to 1: its interval as a thin bar, its value as a dot. */
import type { Rate } from "../../../analytics/client/client.ts";

/** With fewer in the denominator the dot is hollow: little evidence looks like little evidence. */
const LITTLE_EVIDENCE = 30;

export function isLittle({ denominator }: Pick<Rate, "denominator">): boolean {
  return denominator < LITTLE_EVIDENCE;
}

const at = (share: number) => `${share * 100}%`;

/** Decoration: the text beside it says the same. Without evidence only the line is left. */
export function IntervalBar({ rate }: { readonly rate: Rate }) {
  const { value, interval } = rate;
  const little = isLittle(rate);
  return (
    <svg className={`interval-bar ${little ? "is-little" : ""}`} width="100%" height="12" aria-hidden="true">
      <line className="interval-axis" x1="0" x2="100%" y1="6" y2="6" />
      {[0, 0.5, 1].map((tick) => (
        <line key={tick} className="interval-axis" x1={at(tick)} x2={at(tick)} y1="4" y2="8" />
      ))}
      {interval === null || value === null ? null : (
        <>
          <line className="interval-span" x1={at(interval.low)} x2={at(interval.high)} y1="6" y2="6" />
          <circle className="interval-dot" cx={at(value)} cy="6" r={little ? 3 : 3.5} />
        </>
      )}
    </svg>
  );
}
