/**
 * The funnel as bars. Every row says its count, what it is a part of, and what it cost; the bars of one group share a
 * scale, and a new scale is announced where it begins.
 */
import { Fragment } from "react";
import { formatCount, formatPercent } from "../../../analytics/client/format.ts";
import { Link, type With } from "../state/link.tsx";
import { Bar } from "./funnel-bar.tsx";
import type { Cost, Stage, StageGroup } from "./funnel-stages.ts";
import { isLittle } from "./interval-bar.tsx";
import { partOf, widthOf } from "./part.ts";
import "./funnel-chart.css";

export interface FunnelChartProps {
  readonly groups: readonly StageGroup[];
  /** Where a row leads; null where it leads nowhere. */
  readonly target: (stage: Stage) => { readonly to: string; readonly with: With } | null;
}

export function FunnelChart({ groups, target }: FunnelChartProps) {
  return (
    <div className="funnel-chart">
      <div className="funnel-head" aria-hidden="true">
        <span>Stage</span>
        <span />
        <span className="end">Episodes</span>
        <span>Of the stage before</span>
        <span>Of settled</span>
        <span className="end">Extra turns</span>
        <span className="end">Tokens in / out</span>
      </div>
      {groups.map((group, index) => (
        <Fragment key={group.name}>
          <GroupHead group={group} before={groups[index - 1]} />
          <ol aria-label={group.title}>
            {group.stages.map((stage) => (
              <Row key={stage.name} stage={stage} whole={group.whole.count} target={target(stage)} />
            ))}
          </ol>
        </Fragment>
      ))}
    </div>
  );
}

/** The name of a group and its scale; where the scale is another than before, lines open from the old to the new one. */
function GroupHead({ group, before }: { readonly group: StageGroup; readonly before: StageGroup | undefined }) {
  const { count, label } = group.whole;
  const same = before !== undefined && before.whole.count === count && before.whole.label === label;
  const width = before === undefined ? null : widthOf(count, before.whole.count);
  return (
    <div className="funnel-group">
      <h4>{group.title}</h4>
      <div className="funnel-scale">
        {same || width === null ? null : (
          <svg width="100%" height="14" className="funnel-zoom" aria-hidden="true">
            <line x1="0" x2="0" y1="0" y2="100%" />
            <line x1={width} x2="100%" y1="0" y2="100%" />
          </svg>
        )}
        {same ? null : (
          <span className="note">
            {before === undefined ? "full width" : "new scale: full width"} = {formatCount(count)} {label}
          </span>
        )}
      </div>
    </div>
  );
}

interface RowProps {
  readonly stage: Stage;
  readonly whole: number;
  readonly target: ReturnType<FunnelChartProps["target"]>;
}

function Row({ stage, whole, target }: RowProps) {
  const { name, count, previous, settled, sub = false, cost, part } = stage;
  return (
    <li className={`funnel-row ${sub ? "is-sub" : ""}`} data-stage={name} data-count={count}>
      <span className="funnel-label">
        {target === null ? (
          <Label stage={stage} />
        ) : (
          <Link {...target}>
            <Label stage={stage} />
          </Link>
        )}
      </span>
      <Bar stage={stage} whole={whole} />
      <span className="funnel-count">{formatCount(count)}</span>
      <span className="funnel-previous">
        {previous === null ? null : (
          <>
            <span className={isLittle({ denominator: previous.count }) ? "quiet" : undefined}>
              {formatPercent(partOf(count, previous.count).value)}
            </span>{" "}
            <span className="quiet">
              of {formatCount(previous.count)} {previous.label}
            </span>
          </>
        )}
      </span>
      <span className="funnel-settled">
        {settled === null ? null : (
          <>
            <span className={isLittle({ denominator: settled }) ? "quiet" : undefined}>
              {formatPercent(partOf(count, settled).value)}
            </span>{" "}
            <span className="quiet only-narrow">of settled</span>
          </>
        )}
      </span>
      {part === undefined ? (
        <CostCells cost={cost} />
      ) : (
        <span className="funnel-part quiet">
          {count === 0 ? null : `${formatCount(part.count)} of them ${part.label}`}
        </span>
      )}
    </li>
  );
}

/** A part of the stage above is named whole for who does not see that it is indented. */
function Label({ stage: { label, sub, previous } }: { readonly stage: Stage }) {
  return (
    <>
      {sub && previous !== null ? <span className="visually-hidden">{previous.label}, </span> : null}
      {label}
    </>
  );
}

function CostCells({ cost }: { readonly cost: Cost | null }) {
  if (cost === null) return null;
  const { input_tokens, output_tokens } = cost.usage;
  return (
    <>
      <span className="funnel-turns">
        {formatCount(cost.extraTurns)} <span className="quiet only-narrow">extra turns</span>
      </span>
      <span className="funnel-tokens">
        {input_tokens === null && output_tokens === null ? (
          <span className="quiet">
            {cost.extraTurns === 0 ? "none" : "not reported"} <span className="only-narrow">of tokens</span>
          </span>
        ) : (
          <>
            {input_tokens === null ? "not reported" : formatCount(input_tokens)} <span className="quiet">/</span>{" "}
            {output_tokens === null ? "not reported" : formatCount(output_tokens)}{" "}
            <span className="quiet only-narrow">tokens in / out</span>
          </>
        )}
      </span>
    </>
  );
}
