/** The rows so far, how many there are in all, and the way to more. */
import type { ReactNode } from "react";
import { formatCount, formatCountOf } from "../../../analytics/client/format.ts";
import { type Column, DataTable } from "../kit/data-table.tsx";
import { Answered, Loading } from "../kit/states.tsx";
import type { Paged } from "./use-paged.ts";
import "./lists.css";

export interface PagedTableProps<Answer, Row> {
  readonly paged: Paged<Answer>;
  readonly caption: string;
  /** `run`, `episode`. */
  readonly one: string;
  readonly rowsOf: (answer: Answer) => readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  readonly empty: ReactNode;
}

export function PagedTable<Answer extends { readonly total: number }, Row>(props: PagedTableProps<Answer, Row>) {
  const { paged, caption, one, rowsOf, rowKey, columns, empty } = props;
  return (
    <Answered asked={paged} loading={<Loading lines={14} height={480} />}>
      {(answers) => {
        const rows = answers.flatMap(rowsOf);
        const total = answers[0]?.total ?? 0;
        if (rows.length === 0) return empty;
        return (
          <div className="paged">
            <p className="note" data-total={total}>
              {formatCountOf(total, one)}, newest first
              {rows.length < total ? `; ${formatCount(rows.length)} shown` : null}
            </p>
            <DataTable
              caption={caption}
              columns={columns}
              rows={rows}
              rowKey={rowKey}
              rowProps={(row) => ({ "data-row": rowKey(row) })}
            />
            {paged.more === null ? null : (
              <button
                type="button"
                className="more"
                onClick={paged.loadingMore ? undefined : paged.more}
                aria-disabled={paged.loadingMore}
              >
                {paged.loadingMore ? "loading more" : `show more ${one}s`}
              </button>
            )}
          </div>
        );
      }}
    </Answered>
  );
}
