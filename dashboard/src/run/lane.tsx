/** One model turn: its number, its calls side by side, and what it cost. */
import { formatCount, formatDuration } from "../../../analytics/client/format.ts";
import { CallChip } from "./call-chip.tsx";
import { CallDetails } from "./call-details.tsx";
import { storyOf } from "./call-words.ts";
import type { Lane as LaneData, Place, PlacedCall, Turn } from "./timeline.ts";

export interface LaneProps {
  readonly lane: LaneData;
  readonly marked: readonly PlacedCall[];
  /** Milliseconds since the run's start; null where the source states no times. */
  readonly since: number | null;
  readonly current: Place | null;
  readonly reachable: Place | null;
  readonly detailsOpen: boolean;
  readonly choose: (place: Place) => void;
  readonly close: () => void;
}

export function Lane({ lane, marked, since, current, reachable, detailsOpen, choose, close }: LaneProps) {
  const { turn, calls, resumed } = lane;
  const opened = detailsOpen ? calls.find(({ place }) => place === current) : undefined;
  const id = `details-${turn.turn}`;
  return (
    <li className={`lane${calls.length === 0 ? " is-text-only" : ""}`} data-turn={turn.turn}>
      {resumed ? <p className="leg-mark">resumed here · leg {formatCount(turn.leg)}</p> : null}
      <div className="lane-turn">
        <span className="visually-hidden">Turn </span>
        <b>{turn.turn}</b>
        {since === null ? null : <span className="lane-since">+{formatDuration(since)}</span>}
      </div>
      <div className="lane-gutter" data-gutter="" />
      <div className="lane-calls">
        {calls.length === 0 ? <span className="quiet">text only</span> : null}
        {calls.map((placed) => (
          <CallChip
            key={placed.place}
            placed={placed}
            story={`story-${placed.place}`}
            current={placed.place === current}
            reachable={placed.place === reachable}
            details={placed === opened ? id : null}
            choose={() => choose(placed.place)}
          />
        ))}
        {calls.map((placed) => (
          <span key={placed.place} id={`story-${placed.place}`} className="visually-hidden">
            {storyOf(placed, marked)}
          </span>
        ))}
      </div>
      <TurnFacts turn={turn} />
      {opened === undefined ? null : <CallDetails id={id} placed={opened} marked={marked} close={close} />}
    </li>
  );
}

function TurnFacts({ turn }: { readonly turn: Turn }) {
  return (
    <ul className="lane-facts">
      <li className="lane-model">{turn.model ?? "model not known"}</li>
      {usageOf(turn).map((text) => (
        <li key={text}>{text}</li>
      ))}
      {turn.turn_source === "inferred" ? (
        <li title="The source states no turns: this one follows from times.">turn inferred</li>
      ) : null}
    </ul>
  );
}

/** `6,500 in, 4,000 cached`, `350 out · 1.14 s`; what was not reported is said so. */
function usageOf({
  input_tokens,
  cached_input_tokens,
  cache_write_tokens,
  output_tokens,
  duration_ms,
}: Turn): string[] {
  const cached = cached_input_tokens === null ? "" : `, ${formatCount(cached_input_tokens)} cached`;
  const duration = duration_ms === null ? "duration not reported" : formatDuration(duration_ms);
  if (input_tokens === null && output_tokens === null) return ["tokens not reported", duration];
  return [
    input_tokens === null ? "input not reported" : `${formatCount(input_tokens)} in${cached}`,
    ...(cache_write_tokens === null ? [] : [`${formatCount(cache_write_tokens)} written to cache`]),
    `${output_tokens === null ? "output not reported" : `${formatCount(output_tokens)} out`} · ${duration}`,
  ];
}
