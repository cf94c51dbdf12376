/** One bar of a funnel. */
import type { Stage } from "./funnel-stages.ts";
import { widthOf } from "./part.ts";
import "./funnel-chart.css";

/** Decoration: the row's text says the same. The pale part is the stage before. */
export function Bar({ stage, whole }: { readonly stage: Stage; readonly whole: number }) {
  const { count, previous, tone, part } = stage;
  return (
    <svg className="funnel-bar" width="100%" height="14" aria-hidden="true">
      {previous === null || previous.count === 0 ? null : (
        <rect className="funnel-before" width={widthOf(previous.count, whole)} height="14" />
      )}
      {count === 0 ? null : (
        <rect
          className={`funnel-fill ${tone.startsWith("fill-") ? tone : `is-${tone}`}`}
          width={widthOf(count, whole)}
          height="14"
          data-bar={stage.name}
        />
      )}
      {part === undefined || part.count === 0 ? null : (
        <rect
          className="funnel-part-fill"
          x={widthOf(count - part.count, whole)}
          width={widthOf(part.count, whole)}
          y="9"
          height="5"
        />
      )}
    </svg>
  );
}
