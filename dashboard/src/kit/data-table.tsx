/** A table that can be ordered by its headers; the order is in the address. Wide ones scroll in their own container. */
import type { ReactNode } from "react";
import { Link } from "../state/link.tsx";
import { useQuery } from "../state/query-string.ts";

export interface Column<Row> {
  readonly id: string;
  readonly title: ReactNode;
  /** A second, quiet line of the header: unit or denominator. */
  readonly note?: string;
  readonly align?: "end";
  /** The cell that names the row. */
  readonly header?: boolean;
  /** Makes the column one to order by; `null` is always last. */
  readonly value?: (row: Row) => number | string | null;
  readonly cell: (row: Row) => ReactNode;
}

export interface DataTableProps<Row> {
  /** For screen readers, and the name of the container that scrolls. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Unique on its page; with it columns that have a `value` can be ordered by. Unordered is the order of `rows`. */
  readonly name?: string;
  /** Attributes for a row that stands out. */
  readonly rowProps?: (row: Row) => { readonly className?: string; readonly [attribute: `data-${string}`]: string };
}

/** Which column a table is ordered by: `sort-tools=-calls` is by calls, most first. */
function useOrder(name: string | undefined): { readonly column: string; readonly descending: boolean } | null {
  const text = useQuery().get(`sort-${name}`);
  if (name === undefined || text === null) return null;
  return { column: text.replace(/^-/, ""), descending: text.startsWith("-") };
}

export function DataTable<Row>({ caption, columns, rows, rowKey, name, rowProps }: DataTableProps<Row>) {
  const order = useOrder(name);
  const by = columns.find(({ id, value }) => id === order?.column && value !== undefined)?.value;
  const shown = by === undefined ? rows : ordered(rows, by, order?.descending ?? false);
  return (
    // Focusable, as what scrolls must be reachable without a mouse.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region
    <section className="table-scroll" aria-label={caption} tabIndex={0}>
      <table className="data-table">
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.id} column={column} name={name} order={order} />
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={rowKey(row)} {...rowProps?.(row)}>
              {columns.map(({ id, align, header, cell }) =>
                header ? (
                  <th key={id} scope="row" className={align}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={id} className={align}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly name: string | undefined;
  readonly order: ReturnType<typeof useOrder>;
}

/** Ordering goes most first, least first, and back to the table's own order. */
function Head<Row>({ column: { id, title, note, align, value }, name, order }: HeadProps<Row>) {
  const mine = order?.column === id ? order : null;
  const next = mine === null ? `-${id}` : mine.descending ? id : null;
  const sorted = mine === null ? "none" : mine.descending ? "descending" : "ascending";
  const text = (
    <>
      {title}
      {mine === null ? null : <span aria-hidden="true">{mine.descending ? " ↓" : " ↑"}</span>}
    </>
  );
  return (
    <th scope="col" className={align} {...(value === undefined || name === undefined ? {} : { "aria-sort": sorted })}>
      {value === undefined || name === undefined ? text : <Link with={{ [`sort-${name}`]: next }}>{text}</Link>}
      {note === undefined ? null : <span className="column-note">{note}</span>}
    </th>
  );
}

function ordered<Row>(
  rows: readonly Row[],
  by: (row: Row) => number | string | null,
  descending: boolean,
): readonly Row[] {
  const direction = descending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [first, second] = [by(a), by(b)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    if (typeof first === "number" && typeof second === "number") return direction * (first - second);
    return direction * String(first).localeCompare(String(second));
  });
}
