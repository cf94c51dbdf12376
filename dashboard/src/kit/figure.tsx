/** A chart with what it may not lack: title, unit, denominator, and the same as a table. */
import { type ReactNode, useId } from "react";
import { TableToggle, useAsTable } from "./table-toggle.tsx";

export interface FigureProps {
  /** Unique on its page; the address remembers under it whether the table is shown. */
  readonly name: string;
  readonly title: string;
  /** What one unit of the chart is, and what it is a share of: `episodes · of 44 settled repair episodes`. */
  readonly unit: string;
  readonly note?: ReactNode;
  readonly table: ReactNode;
  readonly children: ReactNode;
}

export function Figure({ name, title, unit, note, table, children }: FigureProps) {
  const asTable = useAsTable(name);
  const id = useId();
  return (
    <figure className="figure" aria-labelledby={id} data-figure={name}>
      <figcaption>
        <h3 id={id}>{title}</h3>
        <span className="figure-unit">{unit}</span>
        <TableToggle name={name} title={title} />
      </figcaption>
      {note === undefined ? null : <p className="note">{note}</p>}
      {asTable ? table : children}
    </figure>
  );
}
