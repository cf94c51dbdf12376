/** The open funnel so far: what is pending, as far as it has come. It stands beside the settled one, never mixed with it. */
import { formatCountOf, formatShare, NO_EVIDENCE } from "../../../analytics/client/format.ts";
import { Link } from "../state/link.tsx";
import { Bar } from "./funnel-bar.tsx";
import type { FunnelChartProps } from "./funnel-chart.tsx";
import type { Stage } from "./funnel-stages.ts";
import { partOf } from "./part.ts";

export interface OpenFunnelProps {
  readonly stages: readonly Stage[];
  readonly pending: number;
  readonly target: FunnelChartProps["target"];
}

export function OpenFunnel({ stages, pending, target }: OpenFunnelProps) {
  if (pending === 0) return <p className="note">Nothing is pending: every episode of this interval has settled.</p>;
  return (
    <ol className="open-funnel">
      {stages.map((stage) => {
        const to = target(stage);
        return (
          <li key={stage.name} data-open={stage.name} data-count={stage.count}>
            <span className="funnel-label">{to === null ? stage.label : <Link {...to}>{stage.label}</Link>}</span>
            <Bar stage={stage} whole={pending} />
            <span className="note">
              {formatShare(partOf(stage.count, pending))} pending
              {stage.cost === null || stage.cost.extraTurns === 0
                ? ""
                : `, ${formatCountOf(stage.cost.extraTurns, "extra turn")} so far`}
            </span>
          </li>
        );
      })}
      {stages.length === 0 ? <li className="note">{NO_EVIDENCE}</li> : null}
    </ol>
  );
}
