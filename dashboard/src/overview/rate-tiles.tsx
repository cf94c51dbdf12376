/** The six rates, each with the tool that is most surely bad at it and its way through time. */
import type { FunnelAnswer, Rate, TimelineAnswer } from "../../../analytics/client/client.ts";
import { formatCountOf, formatDay, formatRate, formatShare, formatTime } from "../../../analytics/client/format.ts";
import { RateLine } from "../kit/rate-line.tsx";
import { RATE_WORDS } from "../kit/words.ts";
import { Link, toolPath } from "../state/link.tsx";
import { sparkPoints } from "./over-time.ts";
import { SIX_RATES, type SixRate } from "./six-rates.ts";
import { Sparkline } from "./sparkline.tsx";

export interface RateTilesProps {
  readonly answer: FunnelAnswer;
  readonly timeline: TimelineAnswer | undefined;
}

export function RateTiles({ answer, timeline }: RateTilesProps) {
  return (
    <ul className="rate-tiles">
      {SIX_RATES.map((name) => (
        <li key={name} className="rate-tile" data-tile={name}>
          <Tile name={name} answer={answer} timeline={timeline} />
        </li>
      ))}
    </ul>
  );
}

function Tile({ name, answer, timeline }: { readonly name: SixRate } & RateTilesProps) {
  const { overall, settings } = answer;
  const { title, of, meaning, better } = RATE_WORDS[name];
  const worst = overall.worst_tool?.[name] ?? null;
  const whole = name === "eventual_repair_rate" ? `within ${formatCountOf(settings.E, "turn")}, of ${of}` : `of ${of}`;
  return (
    <>
      <h3 title={meaning}>{title}</h3>
      <p className="note">
        {whole} · {better} is better
      </p>
      <RateLine rate={overall.rates[name]} name={name} large />
      {timeline === undefined ? (
        <div className="sparkline" />
      ) : (
        <Sparkline points={sparkPoints(timeline, name)} title={overTime(title, timeline, name)} />
      )}
      <p className="rate-beside">
        {worst === null ? (
          <span className="quiet">{overall.worst_tool === null ? "one tool only" : "no tool has evidence"}</span>
        ) : (
          <>
            <span className="quiet">worst</span> <Link to={toolPath(worst.tool)}>{worst.tool}</Link>{" "}
            <span className="quiet">{formatShare(worst.rate)}</span>
          </>
        )}
      </p>
      {name === "completion_rate" ? (
        <p className="rate-beside quiet">outcome known for {formatShare(overall.outcomes_known)} ended runs</p>
      ) : null}
    </>
  );
}

/** What the small chart says, in words: first and last bucket with evidence. */
function overTime(title: string, { points, bucket }: TimelineAnswer, name: SixRate): string {
  const known = points.filter(({ rates }) => rates[name].value !== null);
  const [first, last] = [known[0], known.at(-1)];
  const when = bucket === "day" ? formatDay : formatTime;
  const at = (point: { readonly start: string; readonly rates: Readonly<Record<SixRate, Rate>> }) =>
    `${when(point.start)} ${formatRate(point.rates[name])}`;
  if (first === undefined || last === undefined) return `${title} by ${bucket}: no evidence`;
  return `${title} by ${bucket}, from 0 to 100 %: ${first === last ? at(first) : `${at(first)}, to ${at(last)}`}`;
}
