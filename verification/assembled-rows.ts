/** An assembled run as rows of `run`, `turn` and `call`, in the form in which stored rows are read. Pure. */
import { callColumns, runColumns, turnColumns } from "../collector/assembled-columns.ts";
import type { AssembledRun } from "../collector/assembly/types.ts";
import type { Column } from "../collector/insert-rows.ts";

export interface AssembledRows {
  readonly run: readonly object[];
  readonly turn: readonly object[];
  readonly call: readonly object[];
}

/** By the columns that the collector writes. */
export function assembledRows(projectId: number, run: AssembledRun): AssembledRows {
  const { run_id } = run;
  const rows = <Row extends object>(columns: readonly Column<Row>[], given: readonly Row[]) =>
    given.map((row) => Object.fromEntries(columns.map((column) => [column.name, stored(row, column)])));
  return {
    run: rows(runColumns(projectId), [run]),
    turn: rows(
      turnColumns(projectId),
      run.turns.map((turn) => ({ ...turn, run_id })),
    ),
    call: rows(
      callColumns(projectId),
      run.calls.map((call) => ({ ...call, run_id })),
    ),
  };
}

/** What the database returns for a cell, once it is there. */
function stored<Row extends object>(row: Row, { name, type, cell }: Column<Row>): unknown {
  // As an array's element a list is text already; the row has it under the column's name.
  if (type === "text[]") return (row as Record<string, unknown>)[name];
  const value = cell(row);
  if (value === null) return null;
  if (type === "bytea") return String(value).slice("\\x".length);
  if (type === "bigint") return String(value);
  if (type === "jsonb") return JSON.parse(String(value));
  return value;
}
