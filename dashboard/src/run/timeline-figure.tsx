/** The run as it happened: a lane per model turn, arrows from failed calls to their attempts, the outcome at the end. */
import { type CSSProperties, useMemo } from "react";
import type { RunAnswer } from "../../../analytics/client/client.ts";
import { formatCountOf } from "../../../analytics/client/format.ts";
import { Figure } from "../kit/figure.tsx";
import { Empty } from "../kit/states.tsx";
import { useParam } from "../state/query-string.ts";
import { ArrowLegend } from "./arrow-legend.tsx";
import { CallTable } from "./call-table.tsx";
import { Lane } from "./lane.tsx";
import { OutcomeLane } from "./outcome-lane.tsx";
import { RepairArrows } from "./repair-arrows.tsx";
import { gutterOf } from "./routes.ts";
import { AT_ONCE, rangesOf, rowsOf, type Stretch, withRange } from "./stretches.ts";
import { type Timeline, timelineOf } from "./timeline.ts";
import { useBoxes } from "./use-boxes.ts";
import { useCallFocus } from "./use-call-focus.ts";

export function TimelineFigure({ answer }: { readonly answer: RunAnswer }) {
  const timeline = useMemo(() => timelineOf(answer), [answer]);
  return (
    <Figure
      name="timeline"
      title="Timeline"
      unit="one lane a model turn, its calls side by side; durations and tokens are the turn's"
      table={<CallTable timeline={timeline} />}
    >
      {timeline.lanes.length === 0 ? (
        <Empty title="No model turn has arrived yet">
          <p>A span of a model response or of a tool call that carries this run's id puts it here.</p>
        </Empty>
      ) : (
        <Lanes answer={answer} timeline={timeline} />
      )}
    </Figure>
  );
}

function Lanes({ answer: { run }, timeline }: { readonly answer: RunAnswer; readonly timeline: Timeline }) {
  const { lanes, calls, links, tracks } = timeline;
  const [shownTurns, setShownTurns] = useParam("turns");
  const [call] = useParam("call");
  const rows = useMemo(() => rowsOf(lanes, { ranges: rangesOf(shownTurns), call }), [lanes, shownTurns, call]);
  const drawn = useMemo(() => rows.flatMap((row) => ("lane" in row ? [row.lane] : [])), [rows]);
  const [container, measured] = useBoxes<HTMLDivElement>(rows);
  const { current, detailsOpen, choose, close } = useCallFocus(drawn, container);
  const places = drawn.flatMap((lane) => lane.calls.map(({ place }) => place));
  const reachable = current !== null && places.includes(current) ? current : (places[0] ?? null);
  const marked = useMemo(() => calls.filter(({ mark }) => mark !== null), [calls]);
  const since = (started: string) =>
    run.time_source === "import" ? null : Math.max(0, Date.parse(started) - Date.parse(run.started_at));
  return (
    <>
      <ArrowLegend timeline={timeline} />
      {call === null || calls.some(({ place }) => place === call) ? null : (
        <p className="stale">The address names call {call}, which this run does not have.</p>
      )}
      <div
        ref={container}
        className="timeline"
        style={
          { "--gutter": `${gutterOf(tracks, 90)}px`, "--gutter-narrow": `${gutterOf(tracks, 44)}px` } as CSSProperties
        }
      >
        <ol className="lanes" aria-label="Model turns">
          {rows.map((row) =>
            "lane" in row ? (
              <Lane
                key={row.lane.turn.turn}
                lane={row.lane}
                marked={marked}
                since={since(row.lane.turn.started_at)}
                current={current}
                reachable={reachable}
                detailsOpen={detailsOpen}
                choose={choose}
                close={close}
              />
            ) : (
              <Folded
                key={`folded ${row.folded.first}`}
                stretch={row.folded}
                open={(last) => setShownTurns(withRange(shownTurns, row.folded.first, last))}
              />
            ),
          )}
          <OutcomeLane run={run} />
        </ol>
        <RepairArrows links={links} tracks={tracks} measured={measured} current={current} />
      </div>
      <p className="note keys">
        <kbd>j</kbd> <kbd>k</kbd> or the arrow keys go from call to call, <kbd>Enter</kbd> opens one
        {shownTurns === null ? null : (
          <>
            {" · "}
            <button type="button" className="link-button" onClick={() => setShownTurns(null)}>
              fold quiet turns again
            </button>
          </>
        )}
      </p>
    </>
  );
}

/** Turns that are not drawn, and the way to them. */
function Folded({ stretch, open }: { readonly stretch: Stretch; readonly open: (last: number) => void }) {
  const { first, last, turns, calls, why } = stretch;
  const some = turns > AT_ONCE;
  const what = formatCountOf(turns, why === "quiet" ? "turn without failures" : "more turn", WHAT_MANY[why]);
  return (
    <li className="folded" data-folded={`${first}-${last}`}>
      <button type="button" className="quiet-button" onClick={() => open(some ? first + AT_ONCE - 1 : last)}>
        {some ? `show the first ${AT_ONCE} of ${what}` : `show ${what}`}
      </button>
      <span className="note">
        turns {first} to {last}, {formatCountOf(calls, "call")}
      </span>
    </li>
  );
}

const WHAT_MANY: Readonly<Record<Stretch["why"], string>> = {
  quiet: "turns without failures",
  rest: "more turns",
};
