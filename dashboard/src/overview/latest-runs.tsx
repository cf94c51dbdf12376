/** The runs that began last; new ones come without a reload. */
import type { RunsAnswer } from "../../../analytics/client/client.ts";
import { formatAge, formatCount, formatTime } from "../../../analytics/client/format.ts";
import { DataTable } from "../kit/data-table.tsx";
import { OutcomeTag, Tag } from "../kit/tag.tsx";
import { Link, runPath } from "../state/link.tsx";

export function LatestRuns({ answer }: { readonly answer: RunsAnswer }) {
  const { runs, as_of } = answer;
  if (runs.length === 0) return <p className="note">No run stands in this scope.</p>;
  return (
    <DataTable
      caption="Latest runs"
      rows={runs}
      rowKey={({ run_id }) => run_id}
      rowProps={({ run_id }) => ({ "data-run": run_id })}
      columns={[
        {
          id: "run",
          title: "Run",
          header: true,
          cell: ({ run_id, run_key }) => (
            <Link to={runPath(run_id)} className="mono run-name">
              {run_key ?? run_id}
            </Link>
          ),
        },
        {
          id: "began",
          title: "Began",
          cell: ({ started_at }) => <span title={formatTime(started_at)}>{formatAge(started_at, as_of)}</span>,
        },
        { id: "agent", title: "Agent", cell: ({ agent }) => agent ?? <span className="quiet">not recorded</span> },
        { id: "model", title: "Model", cell: ({ model }) => model ?? <span className="quiet">not recorded</span> },
        {
          id: "ended",
          title: "Ended",
          cell: ({ ended, outcome }) =>
            ended || outcome !== null ? (
              <OutcomeTag outcome={outcome} />
            ) : (
              <Tag shape="ring" tone="accent">
                running
              </Tag>
            ),
        },
        { id: "turns", title: "Turns", align: "end", cell: ({ model_turns }) => formatCount(model_turns) },
        { id: "calls", title: "Calls", align: "end", cell: ({ calls }) => formatCount(calls) },
        { id: "rejected", title: "Rejected", align: "end", cell: ({ rejected_calls }) => formatCount(rejected_calls) },
        {
          id: "pending",
          title: "Pending",
          note: "repair episodes",
          align: "end",
          cell: ({ pending_episodes }) => formatCount(pending_episodes),
        },
      ]}
    />
  );
}
