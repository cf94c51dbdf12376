/** Runs of the scope, newest first; new ones come in by themselves. */
import type { RunsAnswer } from "../../../analytics/client/client.ts";
import { formatCount, formatDuration, formatTime } from "../../../analytics/client/format.ts";
import type { Column } from "../kit/data-table.tsx";
import { Page } from "../kit/page.tsx";
import { Empty } from "../kit/states.tsx";
import { OUTCOMES } from "../kit/words.ts";
import { RunOutcome } from "../run/outcome-lane.tsx";
import { Link, runPath } from "../state/link.tsx";
import { useScope } from "../state/scope.ts";
import { type FilterSpec, ListFilters, useListFilters } from "./list-filters.tsx";
import { PagedTable } from "./paged-table.tsx";
import { usePaged } from "./use-paged.ts";

type Run = RunsAnswer["runs"][number];

const FILTERS: readonly FilterSpec[] = [
  {
    name: "outcome",
    title: "Ended",
    values: OUTCOMES,
    words: (outcome) => (outcome === "unknown" ? "not ended or unknown" : outcome),
  },
];

export function RunsPage() {
  const { query } = useScope();
  const { kind: _, ...scope } = query;
  const filters = useListFilters(FILTERS);
  const paged = usePaged<RunsAnswer>("runs", { ...scope, ...filters }, (questions, asked) => questions.runs(asked));
  return (
    <Page title="Runs">
      <div className="list-page">
        <ListFilters specs={FILTERS} />
        <PagedTable
          paged={paged}
          caption="Runs, newest first"
          one="run"
          rowsOf={({ runs }) => runs}
          rowKey={({ run_id }) => run_id}
          columns={COLUMNS}
          empty={<NoRuns narrowed={Object.keys(filters).length > 0} />}
        />
      </div>
    </Page>
  );
}

function NoRuns({ narrowed }: { readonly narrowed: boolean }) {
  return (
    <Empty title="No run in this interval">
      <p>
        A run stands here from the first span that carries its id.{" "}
        {narrowed ? "Take a filter out, or " : "If there should be one, "}
        <Link with={{ last: "all", from: null, to: null, outcome: null }}>look at all times</Link>.
      </p>
    </Empty>
  );
}

const COLUMNS: readonly Column<Run>[] = [
  {
    ...{ id: "run", title: "Run", header: true },
    cell: ({ run_id, run_key }) => (
      <span className="list-id">
        <Link to={runPath(run_id)}>{run_key ?? run_id}</Link>
      </span>
    ),
  },
  {
    ...{ id: "started", title: "Started" },
    cell: ({ started_at }) => (
      <time className="nowrap" dateTime={started_at} title={started_at}>
        {formatTime(started_at)}
      </time>
    ),
  },
  { id: "ended", title: "Ended", cell: (run) => <RunOutcome run={run} /> },
  {
    ...{ id: "agent", title: "Agent", note: "model" },
    cell: ({ agent, model }) => (
      <span className="list-lines">
        <span>{agent ?? <span className="quiet">not stated</span>}</span>
        <span className="note">{model ?? "model not known"}</span>
      </span>
    ),
  },
  { id: "turns", title: "Turns", note: "of the model", align: "end", cell: (run) => formatCount(run.model_turns) },
  { id: "calls", title: "Calls", align: "end", cell: ({ calls }) => formatCount(calls) },
  {
    id: "rejected",
    title: "Rejected",
    note: "calls",
    align: "end",
    cell: (run) => <Some count={run.rejected_calls} />,
  },
  { id: "episodes", title: "Episodes", note: "of repair", align: "end", cell: (run) => <Some count={run.episodes} /> },
  {
    id: "pending",
    title: "Pending",
    note: "episodes",
    align: "end",
    cell: (run) => <Some count={run.pending_episodes} />,
  },
  {
    ...{ id: "duration", title: "Duration", align: "end" },
    cell: ({ started_at, ended_at }) => (
      <span className="nowrap">{formatDuration(Date.parse(ended_at) - Date.parse(started_at))}</span>
    ),
  },
  {
    ...{ id: "environment", title: "Environment", note: "source" },
    cell: ({ environment, source }) => (
      <span className="list-lines">
        <span>{environment ?? <span className="quiet">not stated</span>}</span>
        <span className="note">{source}</span>
      </span>
    ),
  },
];

/** Zeros step back, so that the eye finds the others. */
function Some({ count }: { readonly count: number }) {
  return count === 0 ? <span className="quiet">{formatCount(count)}</span> : <b>{formatCount(count)}</b>;
}
