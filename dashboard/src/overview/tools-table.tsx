import type { ToolsAnswer } from "../../../analytics/client/client.ts";
import { formatCount, formatCountOf } from "../../../analytics/client/format.ts";
import { DataTable } from "../kit/data-table.tsx";
import { RiskTag } from "../kit/tag.tsx";
import { Link, toolPath } from "../state/link.tsx";
import { endedColumn, hurtColumns, rateColumn } from "./hurt-columns.tsx";

type Tool = ToolsAnswer["tools"][number];

const nameOf = ({ key }: Tool) => String(key.tool);

export function ToolsTable({ answer }: { readonly answer: ToolsAnswer }) {
  const { tools, total } = answer;
  return (
    <>
      <DataTable
        name="tools"
        caption="Tools, what hurts most first"
        rows={tools}
        rowKey={nameOf}
        rowProps={(tool) => ({ "data-tool": nameOf(tool) })}
        columns={[
          { id: "tool", title: "Tool", header: true, value: nameOf, cell: (tool) => <Name tool={tool} /> },
          ...hurtColumns<Tool>(),
          rateColumn<Tool>("first_attempt_validity"),
          rateColumn<Tool>("first_repair_rate"),
          rateColumn<Tool>("eventual_repair_rate"),
          rateColumn<Tool>("unchanged_repeat_rate"),
          endedColumn<Tool>(nameOf),
        ]}
      />
      {total > tools.length ? (
        <p className="note">
          The {formatCount(tools.length)} that hurt most of {formatCountOf(total, "tool")}.
        </p>
      ) : null}
    </>
  );
}

function Name({ tool }: { readonly tool: Tool }) {
  const { health, by_risk } = tool;
  return (
    <>
      <Link to={toolPath(nameOf(tool))} with={{ tool: null }}>
        {nameOf(tool)}
      </Link>
      <span className="row-tags">
        {by_risk.map(({ risk }) => (
          <RiskTag key={risk} risk={risk} />
        ))}
        {health.not_checked.value === 1 ? <span className="note">not checked</span> : null}
      </span>
    </>
  );
}
