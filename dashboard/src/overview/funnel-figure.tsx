/** What became of the episodes: the settled funnel, and beside it the open one so far. */
import type { Group } from "../../../analytics/client/client.ts";
import { formatCount, formatCountOf, formatShare } from "../../../analytics/client/format.ts";
import { DataTable } from "../kit/data-table.tsx";
import { Figure } from "../kit/figure.tsx";
import { Mark } from "../kit/mark.tsx";
import { widthOf } from "../kit/part.ts";
import { funnelRowWords } from "../kit/words.ts";
import { Link } from "../state/link.tsx";

type Funnel = Group["funnel"];
type Row = Funnel["rows"][number];

interface FunnelRowsProps {
  readonly rows: readonly Row[];
  /** A bar of full width. */
  readonly whole: number;
  readonly state: "settled" | "pending";
  readonly kind: Funnel["kind"];
}

export function FunnelFigure({ funnel }: { readonly funnel: Funnel }) {
  const { kind, settled, pending, rows, open, opened } = funnel;
  const shown = rows.filter(({ episodes }) => episodes > 0);
  const openShown = open.filter(({ episodes }) => episodes > 0);
  return (
    <Figure
      name="funnel"
      title="What became of the episodes"
      unit={`${kind} episodes · ${formatCountOf(opened, "opened", "opened")}`}
      table={
        <>
          <FunnelTable rows={rows} whole={settled} state="settled" kind={kind} />
          <FunnelTable rows={open} whole={pending} state="pending" kind={kind} />
        </>
      }
    >
      <div className="fates">
        <div>
          <p className="fate-title">{formatCount(settled)} settled</p>
          <FunnelRows rows={shown} whole={settled} state="settled" kind={kind} />
        </div>
        <div className="is-open">
          <p className="fate-title">
            {formatCount(pending)} pending <span className="quiet">the open funnel so far, in no rate</span>
          </p>
          {pending === 0 ? (
            <p className="note">Every episode has settled.</p>
          ) : (
            <FunnelRows rows={openShown} whole={pending} state="pending" kind={kind} />
          )}
        </div>
      </div>
    </Figure>
  );
}

function FunnelRows({ rows, whole, state, kind }: FunnelRowsProps) {
  if (rows.length === 0) return <p className="note">No {kind} episode has settled.</p>;
  return (
    <ul className="fate-rows">
      {rows.map(({ row, episodes, share, extra_model_turns }) => {
        const good = row.startsWith("repaired");
        const tone = good ? "good" : row === "undecided" ? "quiet" : "bad";
        return (
          <li key={row} data-row={row} data-count={episodes}>
            <Link to="/episodes" with={{ row, state }} className="fate-label">
              <Mark shape={good ? "disc" : row === "undecided" ? "ring" : "cross"} tone={tone} /> {funnelRowWords(row)}
            </Link>
            <span className="fate-text">
              {formatShare(share)}
              {extra_model_turns === 0 ? null : (
                <span className="quiet"> · {formatCountOf(extra_model_turns, "extra turn")}</span>
              )}
            </span>
            <svg className={`fate-bar tone-${tone}`} width="100%" height="6" aria-hidden="true">
              <rect width={widthOf(episodes, whole)} height="6" />
            </svg>
          </li>
        );
      })}
    </ul>
  );
}

function FunnelTable({ rows, whole, state, kind }: FunnelRowsProps) {
  return (
    <DataTable
      caption={`${formatCountOf(whole, `${state} ${kind} episode`)}`}
      rows={rows}
      rowKey={({ row }) => row}
      columns={[
        { id: "row", title: `${state} episodes`, header: true, cell: ({ row }) => funnelRowWords(row) },
        { id: "share", title: `of ${formatCount(whole)}`, align: "end", cell: ({ share }) => formatShare(share) },
        {
          id: "turns",
          title: "Extra model turns",
          align: "end",
          cell: ({ extra_model_turns }) => formatCount(extra_model_turns),
        },
      ]}
    />
  );
}
