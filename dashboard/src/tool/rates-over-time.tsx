/** One rate of the tool over time, what was changed meanwhile, and under it how the runs ended. */
import { useMemo, useState } from "react";
import type { TimelineAnswer } from "../../../analytics/client/client.ts";
import { formatCount, formatCountOf, formatRate, formatTime } from "../../../analytics/client/format.ts";
import { useTimeline } from "../api.ts";
import { Figure } from "../kit/figure.tsx";
import { outcomesText } from "../kit/outcome-bar.tsx";
import { Section } from "../kit/page.tsx";
import type { TimeFlag } from "../kit/series.ts";
import { Answered, Empty, Loading } from "../kit/states.tsx";
import { axisOf } from "../kit/time-axis.ts";
import { TimeSeries } from "../kit/time-series.tsx";
import { RATE_WORDS, type RateName } from "../kit/words.ts";
import { DIMENSION_WORDS, parameterOf } from "../state/dimensions.ts";
import { Link } from "../state/link.tsx";
import { useParam } from "../state/query-string.ts";
import { minuteText } from "../state/ranges.ts";
import { BucketSlider } from "./bucket-slider.tsx";
import { flagsOf } from "./flags.ts";
import { OutcomeTimeline, OutcomeTimelineKey } from "./outcome-timeline.tsx";
import { TimelineTable } from "./timeline-table.tsx";

const RATE_NAMES = Object.keys(RATE_WORDS) as RateName[];
const DEFAULT_RATE: RateName = "first_repair_rate";

export function RatesOverTime({ tool }: { readonly tool: string }) {
  const [text] = useParam("rate");
  const rate = RATE_NAMES.find((known) => known === text) ?? DEFAULT_RATE;
  const asked = useTimeline({ tool: parameterOf(tool) });
  return (
    <Section title="Over time" note={RATE_WORDS[rate].meaning} actions={<RateChoice rate={rate} />}>
      <Answered asked={asked} loading={<Loading lines={6} height={460} />}>
        {(answer) => <Charts tool={tool} rate={rate} answer={answer} />}
      </Answered>
    </Section>
  );
}

function RateChoice({ rate }: { readonly rate: RateName }) {
  const [, setRate] = useParam("rate");
  return (
    <label className="choice">
      Rate
      <select
        name="rate"
        value={rate}
        onChange={(event) => setRate(event.target.value === DEFAULT_RATE ? null : event.target.value)}
      >
        {RATE_NAMES.map((name) => (
          <option key={name} value={name}>
            {RATE_WORDS[name].title}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ChartsProps {
  readonly tool: string;
  readonly rate: RateName;
  readonly answer: TimelineAnswer;
}

function Charts({ tool, rate, answer }: ChartsProps) {
  const [chosen, setChosen] = useState<string | null>(null);
  const { points, bucket, scope, runs_without_times } = answer;
  // The same objects while only the cursor moves: the charts are then not drawn anew.
  const { axis, flags, series } = useMemo(
    () => ({
      axis: axisOf(scope, points),
      flags: flagsOf(answer.changes),
      series: points.map((point) => ({ start: point.start, end: point.end, rate: point.rates[rate] })),
    }),
    [scope, points, answer.changes, rate],
  );
  const shown = points.find(({ start }) => start === chosen) ?? points.at(-1);
  if (axis === null || shown === undefined) {
    return (
      <Empty title="Nothing to draw over time">
        <p>
          {runs_without_times === 0
            ? "A bucket appears with the first call of its time."
            : `${formatCountOf(runs_without_times, "run")} came from files without times: they are in the figures above and in no bucket.`}
        </p>
      </Empty>
    );
  }
  const evident = series.filter((point) => point.rate.value !== null).length;
  const words = RATE_WORDS[rate];
  return (
    <Figure
      name="timeline"
      title={`${words.title} per ${bucket}, and how runs ended`}
      unit={`% of ${words.of} · UTC`}
      table={<TimelineTable points={points} rate={rate} />}
    >
      <div className="tool-timeline">
        <TimeSeries
          points={series}
          axis={axis}
          flags={flags}
          selected={shown.start}
          title={`${words.title} of ${tool} per ${bucket}`}
          description={`${formatCount(evident)} of ${formatCount(points.length)} buckets with calls have evidence; the last: ${formatRate(shown.rates[rate])}. Version changes: ${flags.map(flagText).join("; ") || "none"}.`}
        />
        <OutcomeTimeline points={points} axis={axis} flags={flags} selected={shown.start} tool={tool} />
        <BucketSlider
          points={points}
          axis={axis}
          selected={shown.start}
          select={setChosen}
          text={(point) =>
            `${formatTime(point.start)}: ${formatRate(point.rates[rate])}; runs ended: ${outcomesText(point.terminal_outcomes)}`
          }
        />
      </div>
      <Readout point={shown} rate={rate} />
      <FlagList flags={flags} />
      <OutcomeTimelineKey points={points} />
      <p className="note">
        Line and band: value and 95 % Wilson interval. Hollow points have fewer than 30 in the denominator; a gap is a{" "}
        {bucket} without evidence; stripes at the foot mark a {bucket} with pending episodes. The scale begins at 0.
        {runs_without_times === 0
          ? null
          : ` ${formatCountOf(runs_without_times, "run")} without times ${runs_without_times === 1 ? "is" : "are"} left out.`}
      </p>
    </Figure>
  );
}

/** The bucket under the cursor, in words; the link narrows the page to it. */
function Readout({ point, rate }: { readonly point: TimelineAnswer["points"][number]; readonly rate: RateName }) {
  const { start, end, episodes, first_attempts, terminal_outcomes } = point;
  return (
    <p className="tool-readout" data-readout={start}>
      <Link with={{ last: null, from: minuteText(Date.parse(start)), to: minuteText(Date.parse(end)) }}>
        {formatTime(start)}
      </Link>{" "}
      <span>{formatRate(point.rates[rate])}</span>{" "}
      <span className="quiet">
        runs ended: {outcomesText(terminal_outcomes)} · {formatCountOf(first_attempts.total, "first attempt")} ·{" "}
        {formatCountOf(episodes.settled, "settled episode")}, {formatCount(episodes.pending)} pending
      </span>
    </p>
  );
}

const flagText = ({ what, value, at }: TimeFlag): string =>
  `${DIMENSION_WORDS[what].toLowerCase()} ${value} since ${formatTime(at)}`;

function FlagList({ flags }: { readonly flags: readonly TimeFlag[] }) {
  if (flags.length === 0) return null;
  return (
    <ul className="flag-list" aria-label="Version changes">
      {flags.map((flag) => (
        <li key={flag.letter} data-change={flag.value}>
          <b>{flag.letter}</b>{" "}
          <span className="quiet">
            {DIMENSION_WORDS[flag.what]}, {flag.what === "schema_version" ? "solid" : "dashed"} line
          </span>{" "}
          <Link with={{ [flag.what]: parameterOf(flag.value) }}>{flag.value}</Link>{" "}
          <span className="quiet">first called {formatTime(flag.at)}</span>
        </li>
      ))}
    </ul>
  );
}
