/** What the run was, in figures and links; every figure is a count or a sum, none is a rate. */
import type { RunAnswer } from "../../../analytics/client/client.ts";
import { formatCount, formatCountOf, formatDuration, formatTime } from "../../../analytics/client/format.ts";
import { parameterOf } from "../state/dimensions.ts";
import { Link, runPath } from "../state/link.tsx";
import { Fact } from "./call-details.tsx";
import { RunOutcome } from "./outcome-lane.tsx";
import type { Turn } from "./timeline.ts";

export function RunFacts({ answer: { run, turns, calls, episodes } }: { readonly answer: RunAnswer }) {
  const own = calls.filter(({ origin }) => origin === "model");
  const rejected = own.filter(({ verdict }) => verdict === "rejected").length;
  const pending = episodes.filter(({ settled }) => !settled).length;
  const timed = run.time_source !== "import";
  return (
    <dl className="run-facts" data-run-facts="">
      <Fact name="Ended">
        <RunOutcome run={run} />
        {run.budget === null ? null : <span className="quiet"> budget: {run.budget}</span>}
      </Fact>
      <Fact name="Model turns">
        {formatCount(run.model_turns)}
        <Quiet show={run.text_only_turns > 0}>{formatCount(run.text_only_turns)} text only</Quiet>
        <Quiet show={run.legs > 1}>{formatCountOf(run.legs, "leg")}</Quiet>
      </Fact>
      <Fact name="Calls">
        {formatCount(run.calls)}
        <Quiet show>{formatCount(rejected)} rejected</Quiet>
        <Quiet show={run.left_out_calls > 0}>{formatCount(run.left_out_calls)} not of the model, in no rate</Quiet>
      </Fact>
      <Fact name="Episodes">
        {formatCount(episodes.length)}
        <Quiet show={pending > 0}>{formatCount(pending)} pending</Quiet>
      </Fact>
      <Fact name="Duration">
        {timed ? formatDuration(Date.parse(run.ended_at) - Date.parse(run.started_at)) : "not in the file"}
        <Quiet show={!run.ended && timed}>so far</Quiet>
      </Fact>
      <TokenFact name="Input tokens" turns={turns} of={({ input_tokens }) => input_tokens} />
      <TokenFact name="Cached input" turns={turns} of={({ cached_input_tokens }) => cached_input_tokens} />
      <TokenFact name="Output tokens" turns={turns} of={({ output_tokens }) => output_tokens} />
      <Fact name="Agent">
        {run.agent === null ? (
          "not stated"
        ) : (
          <Link to="/runs" with={{ agent: parameterOf(run.agent) }}>
            {run.agent}
          </Link>
        )}
        <Quiet show={run.agent_version !== null}>{run.agent_version}</Quiet>
      </Fact>
      <Fact name="Model">{run.model ?? "not known"}</Fact>
      {run.environment === null ? null : <Fact name="Environment">{run.environment}</Fact>}
      {run.service_name === null ? null : <Fact name="Service">{run.service_name}</Fact>}
      <Fact name={timed ? "Started" : "Imported"}>
        <time dateTime={run.started_at}>{formatTime(run.started_at)}</time>
      </Fact>
      <Fact name="Source">
        {run.source}
        <Quiet show={run.run_key !== null}>run id {run.run_id}</Quiet>
      </Fact>
      {run.conversation_id === null ? null : <Fact name="Conversation">{run.conversation_id}</Fact>}
      {run.parent_run_id === null ? null : (
        <Fact name="Started by">
          <Link to={runPath(run.parent_run_id)}>{run.parent_run_id}</Link>
          <Quiet show={run.parent_call_id !== null}>call {run.parent_call_id}</Quiet>
        </Fact>
      )}
      {run.child_runs.length === 0 ? null : (
        <Fact name={`Started ${formatCountOf(run.child_runs.length, "run")}`}>
          {run.child_runs.map((child) => (
            <Link key={child} to={runPath(child)}>
              {child}
            </Link>
          ))}
        </Fact>
      )}
    </dl>
  );
}

/** Sum over the turns that reported it; the others are said, never counted as 0. */
function TokenFact({
  name,
  turns,
  of,
}: {
  readonly name: string;
  readonly turns: readonly Turn[];
  readonly of: (turn: Turn) => number | null;
}) {
  const reported = turns.map(of).filter((tokens) => tokens !== null);
  return (
    <Fact name={name}>
      {reported.length === 0 ? "not reported" : formatCount(reported.reduce((sum, tokens) => sum + tokens, 0))}
      <Quiet show={reported.length > 0 && reported.length < turns.length}>
        of {formatCount(reported.length)} of {formatCount(turns.length)} turns
      </Quiet>
    </Fact>
  );
}

function Quiet({ show, children }: { readonly show: boolean; readonly children: React.ReactNode }) {
  return show ? <span className="quiet fact-aside">{children}</span> : null;
}
