/** Counts by two things. The number is in the cell; the shade, in five steps, only helps to find the large ones. */
import type { ReactNode } from "react";
import { formatCount } from "../../../analytics/client/format.ts";
import { Link, type LinkProps } from "../state/link.tsx";
import { partOf } from "./part.ts";
import "./heat-table.css";

export interface HeatTableCell {
  readonly count: number;
  /** What the count is made of, for who asks or listens. */
  readonly title: string;
  readonly target: Pick<LinkProps, "to" | "with">;
}

export interface HeatTableProps {
  readonly caption: string;
  /** What the rows are. */
  readonly corner: string;
  readonly rows: readonly { readonly id: string; readonly label: ReactNode; readonly total: number }[];
  readonly columns: readonly { readonly id: string; readonly label: ReactNode }[];
  /** What every share is of. */
  readonly whole: number;
  readonly cell: (row: string, column: string) => HeatTableCell | null;
}

/** Where the next shade begins, as shares of the whole. */
const SHADES = [0.02, 0.05, 0.1, 0.2];

/** 1 (palest) to 5, by the share of the whole. */
function shadeOf(count: number, whole: number): number {
  const share = partOf(count, whole).value ?? 0;
  return 1 + SHADES.filter((from) => share >= from).length;
}

export function HeatTable({ caption, corner, rows, columns, whole, cell }: HeatTableProps) {
  return (
    // Focusable, as what scrolls must be reachable without a mouse.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region
    <section className="table-scroll" aria-label={caption} tabIndex={0}>
      <table className="data-table heat-table">
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{corner}</th>
            {columns.map(({ id, label }) => (
              <th key={id} scope="col" className="end">
                {label}
              </th>
            ))}
            <th scope="col" className="end">
              all
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row">{row.label}</th>
              {columns.map((column) => (
                <Cell key={column.id} cell={cell(row.id, column.id)} whole={whole} place={`${row.id} ${column.id}`} />
              ))}
              <td className="end quiet">{formatCount(row.total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface CellProps {
  readonly cell: HeatTableCell | null;
  readonly whole: number;
  readonly place: string;
}

function Cell({ cell, whole, place }: CellProps) {
  if (cell === null) return <td className="end" />;
  return (
    <td className={`end heat-${shadeOf(cell.count, whole)}`} data-heat={place} data-count={cell.count}>
      <Link {...cell.target} title={cell.title} aria-label={`${formatCount(cell.count)}: ${cell.title}`}>
        {formatCount(cell.count)}
      </Link>
    </td>
  );
}
