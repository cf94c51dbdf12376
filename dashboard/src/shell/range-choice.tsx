/** The time range: the usual lengths, a step back or forward, or two moments in UTC. */
import { type FormEvent, useId, useRef } from "react";
import { boundsOf, minuteText, RANGE_WORDS, RANGES, shifted } from "../state/ranges.ts";
import { useScope } from "../state/scope.ts";
import { useDismiss } from "./use-dismiss.ts";

export function RangeChoice() {
  const { times, setTimes, shift } = useScope();
  const now = Date.now();
  const step = (direction: -1 | 1, label: string, key: string) => (
    <button
      type="button"
      aria-label={label}
      title={`${label} (${key})`}
      disabled={shifted(times, direction, now) === null}
      onClick={() => shift(direction)}
    >
      {direction === -1 ? "‹" : "›"}
    </button>
  );
  return (
    <fieldset className="range">
      <legend className="visually-hidden">Time range</legend>
      {step(-1, "The interval before", "[")}
      {RANGES.map((range) => (
        <button
          key={range}
          type="button"
          aria-pressed={"last" in times && times.last === range}
          title={RANGE_WORDS[range]}
          onClick={() => setTimes({ last: range })}
        >
          {range}
        </button>
      ))}
      {step(1, "The interval after", "]")}
      <CustomRange />
    </fieldset>
  );
}

/** Field text of a moment: the browser's field has no zone, and every time here is UTC. */
const fieldText = (time: number) => minuteText(time).slice(0, 16);

function CustomRange() {
  const { times, setTimes } = useScope();
  const id = useId();
  const details = useRef<HTMLDetailsElement>(null);
  useDismiss(details);
  const custom = !("last" in times);
  const bounds = boundsOf(times, Date.now());

  function apply(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const [from, to] = [String(data.get("from")), String(data.get("to"))];
    setTimes({ ...(from === "" ? {} : { from: `${from}Z` }), ...(to === "" ? {} : { to: `${to}Z` }) });
    if (details.current !== null) details.current.open = false;
  }
  return (
    <details className="menu" ref={details}>
      <summary className={custom ? "is-set" : ""}>
        {custom ? `${times.from ?? "beginning"} – ${times.to ?? "now"}` : "custom"}
      </summary>
      <form className="popover" onSubmit={apply} key={`${bounds?.from} ${custom}`}>
        <label htmlFor={`${id}from`}>From (UTC)</label>
        <input
          id={`${id}from`}
          type="datetime-local"
          name="from"
          defaultValue={bounds === null ? "" : fieldText(bounds.from)}
        />
        <label htmlFor={`${id}to`}>To (UTC, not included)</label>
        <input
          id={`${id}to`}
          type="datetime-local"
          name="to"
          defaultValue={bounds === null ? "" : fieldText(bounds.to)}
        />
        <button type="submit">Show this interval</button>
      </form>
    </details>
  );
}
