/** Parts of a whole in one cell of a table: a thin stacked bar, the largest parts in words under it. */
import type { Group, Share } from "../../../analytics/client/client.ts";
import { formatCount, NO_EVIDENCE } from "../../../analytics/client/format.ts";
import { widthOf } from "../kit/part.ts";
import { actionWords, OUTCOMES } from "../kit/words.ts";

export interface MiniPart {
  readonly name: string;
  readonly label: string;
  readonly share: Share;
  /** Sets `--tone`. */
  readonly className: string;
}

const MOST_WORDS = 2;

export function MiniBar({ parts, title }: { readonly parts: readonly MiniPart[]; readonly title: string }) {
  const some = parts.filter(({ share }) => share.numerator > 0);
  if (some.length === 0) return <span className="quiet">{NO_EVIDENCE}</span>;
  const whole = some[0]!.share.denominator;
  const all = some.map(({ label, share }) => `${label} ${formatCount(share.numerator)}`).join(", ");
  const largest = some.toSorted((a, b) => b.share.numerator - a.share.numerator).slice(0, MOST_WORDS);
  const left = some.length - largest.length;
  let before = 0;
  return (
    <div className="mini">
      <svg width="100%" height="8" role="img" aria-label={`${title}: ${all}`}>
        <title>{`${title}: ${all}`}</title>
        {some.map(({ name, share, className }) => {
          const x = before;
          before += share.numerator;
          return (
            <rect
              key={name}
              className={`outcome-part ${className}`}
              data-part={name}
              data-count={share.numerator}
              x={widthOf(x, whole)}
              width={widthOf(share.numerator, whole)}
              height="8"
            />
          );
        })}
      </svg>
      <span className="mini-words">
        {largest.map(({ name, label, share }, index) => (
          <span key={name}>
            {label} <b>{formatCount(share.numerator)}</b>
            {left > 0 && index === largest.length - 1 ? (
              <span className="quiet"> +{formatCount(left)} more</span>
            ) : null}
          </span>
        ))}
      </span>
    </div>
  );
}

type Funnel = Group["funnel"];

/** What the model did next. */
export function actionsOf(funnel: Funnel): MiniPart[] {
  return Object.entries(funnel.next_actions).map(([name, share]) => ({
    ...{ name, share, label: actionWords(name), className: `action-${name}` },
  }));
}

/** How the runs ended. */
export function outcomesOf(funnel: Funnel): MiniPart[] {
  return OUTCOMES.map((name) => ({ name, label: name, share: funnel.outcomes[name], className: `fill-${name}` }));
}
