/** Parameter by category of mistake: which argument the model gets wrong, and in which way. */
import type { FingerprintsAnswer } from "../../../analytics/client/client.ts";
import { formatCount, formatCountOf, formatPercent, formatShare } from "../../../analytics/client/format.ts";
import { DataTable } from "../kit/data-table.tsx";
import { Figure } from "../kit/figure.tsx";
import { HeatTable } from "../kit/heat-table.tsx";
import { partOf } from "../kit/part.ts";
import { Empty } from "../kit/states.tsx";
import { type Heat, type HeatCell, heatOf, TEXT_COLUMN } from "./fingerprint-parts.ts";
import { episodesOf } from "./links.ts";

export function ParameterHeat({ tool, answer }: { readonly tool: string; readonly answer: FingerprintsAnswer }) {
  const heat = heatOf(answer.fingerprints);
  if (heat.total === 0) {
    return (
      <Empty title="No rejected call names a parameter">
        <p>
          A cell fills with a rejected call whose fingerprint reads <code>class:parameter:category</code>, such as{" "}
          <code>invalid:start:date_format</code>.
        </p>
      </Empty>
    );
  }
  const left = answer.total - answer.fingerprints.length;
  return (
    <Figure
      name="heat"
      title="Rejected calls by parameter and category"
      unit={`calls · of ${formatCountOf(heat.total, "rejected call")}, first attempts and repair attempts`}
      note={<Notes heat={heat} left={left} />}
      table={<HeatList tool={tool} heat={heat} />}
    >
      <HeatTable
        caption={`Rejected calls of ${tool} by parameter and category`}
        corner="Parameter"
        whole={heat.total}
        rows={heat.paths.map((path) => ({ id: path, label: <PathName path={path} />, total: totalOf(heat, path) }))}
        columns={heat.categories.map((category) => ({ id: category, label: <span className="mono">{category}</span> }))}
        cell={(path, category) => {
          const cell = heat.cells.get(path)?.get(category);
          if (cell === undefined) return null;
          return {
            count: cell.first + cell.repair,
            title: `${path}, ${category}: ${cellWords(cell)}, ${formatPercent(partOf(cell.first + cell.repair, heat.total).value)} of all`,
            target: episodesOf(tool, { kind: "repair", fingerprint: cell.fingerprints }),
          };
        }}
      />
    </Figure>
  );
}

function totalOf({ cells }: Heat, path: string): number {
  return [...(cells.get(path)?.values() ?? [])].reduce((sum, { first, repair }) => sum + first + repair, 0);
}

function cellWords({ first, repair }: HeatCell): string {
  return `${formatCountOf(first, "first attempt")}, ${formatCountOf(repair, "repair attempt")}`;
}

function PathName({ path }: { readonly path: string }) {
  const meaning = path === "$" ? "the arguments as a whole" : path === "*" ? "an undeclared name or a map's key" : null;
  return (
    <>
      <span className="mono">{path}</span>
      {meaning === null ? null : <span className="note"> {meaning}</span>}
    </>
  );
}

function Notes({ heat, left }: { readonly heat: Heat; readonly left: number }) {
  const texts = [
    heat.categories.includes(TEXT_COLUMN)
      ? "Column text: mistakes that an import could name only by a keyed digest of the error's text, one fingerprint a text; open the cell to tell them apart."
      : null,
    heat.unplaced === 0
      ? null
      : `${formatCountOf(heat.unplaced, "rejected call")} without a fingerprint of this form ${heat.unplaced === 1 ? "is" : "are"} in no cell.`,
    left <= 0 ? null : `The ${formatCount(left)} fingerprints that hurt least are left out.`,
  ].filter((text) => text !== null);
  return texts.length === 0 ? "Shades begin at 2, 5, 10 and 20 % of all." : texts.join(" ");
}

/** The table twin: one row per cell, most calls first. */
function HeatList({ tool, heat }: { readonly tool: string; readonly heat: Heat }) {
  const rows = heat.paths
    .flatMap((path) =>
      heat.categories.map((category) => ({ path, category, cell: heat.cells.get(path)?.get(category) })),
    )
    .flatMap(({ cell, ...place }) => (cell === undefined ? [] : [{ ...place, cell }]))
    .sort((a, b) => b.cell.first + b.cell.repair - a.cell.first - a.cell.repair);
  return (
    <DataTable
      caption={`Rejected calls of ${tool} by parameter and category`}
      rows={rows}
      rowKey={({ path, category }) => `${path} ${category}`}
      columns={[
        { id: "path", title: "Parameter", header: true, cell: ({ path }) => <span className="mono">{path}</span> },
        { id: "category", title: "Category", cell: ({ category }) => category },
        { id: "first", title: "First attempts", align: "end", cell: ({ cell }) => formatCount(cell.first) },
        { id: "repair", title: "Repair attempts", align: "end", cell: ({ cell }) => formatCount(cell.repair) },
        {
          id: "share",
          title: "Of all",
          align: "end",
          cell: ({ cell }) => formatShare(partOf(cell.first + cell.repair, heat.total)),
        },
      ]}
    />
  );
}
