import { type Attributes, type Context, trace } from "@opentelemetry/api";
import { MOST_PLACE } from "../grammar.ts";
import { type CallPlace, type RunState, runIn, type TurnState, turnIn } from "../runs/context.ts";
import * as semconv from "../semconv.ts";

/** What tells one proposal of the model from another. */
export interface Proposal {
  readonly id: string | undefined;
  /** Its place in the batch, where the host states it. */
  readonly index: number | undefined;
  readonly signature: string;
}

/** Where a call stands, and what its span says of that. */
export interface Place {
  readonly parent: Context;
  readonly turn: TurnState | undefined;
  readonly runId: string | undefined;
  readonly attributes: Attributes;
  /** The call has ended: the next one with its id and arguments is a retry of it. */
  leave(): void;
}

/** Where a call stands: in a turn of a run, in a run, in somebody's span, or nowhere. */
export function placeOf(
  around: Context,
  proposal: Proposal,
  nextImplicit: () => { id: string; sequence: number },
): Place {
  const run = runIn(around);
  if (run) return placeInRun(around, run, proposal);
  const active = trace.getSpanContext(around);
  if (active && trace.isSpanContextValid(active)) {
    // The collector takes the nearest enclosing invoke_agent span, or the trace.
    return { parent: around, turn: undefined, runId: undefined, attributes: {}, leave() {} };
  }
  const { id, sequence } = nextImplicit();
  const attributes = { [semconv.ATTR_RUN_ID]: id, [semconv.ATTR_CALL_SEQUENCE]: sequence };
  return { parent: around, turn: undefined, runId: id, attributes, leave() {} };
}

function placeInRun(around: Context, run: RunState, proposal: Proposal): Place {
  const attributes: Attributes = { ...run.attributes, [semconv.ATTR_CALL_SEQUENCE]: run.nextSequence++ };
  // A loop that reports its turns need not carry them: until the next one is reported, the latest is the current one.
  const turn = turnIn(around) ?? run.latestTurn;
  const place = turn && placeInTurn(turn, proposal);
  if (turn && place) {
    attributes[semconv.ATTR_TURN_INDEX] = turn.index;
    attributes[semconv.ATTR_TURN_SOURCE] = "exact";
    if (place.index <= MOST_PLACE) attributes[semconv.ATTR_CALL_INDEX] = place.index;
  }
  const inRunSpan = run.span !== undefined && trace.getSpan(around) === run.span;
  const parent = turn?.span && inRunSpan ? trace.setSpan(around, turn.span) : around;
  const leave = () => {
    if (place) place.running = false;
  };
  return { parent, turn, runId: run.id, attributes, leave };
}

/**
 * A provider's id is no key: some reuse one in a turn, for other arguments or at the same time. A call is a retry of
 * another one only where id, tool and arguments are equal and the other one has ended.
 */
function placeInTurn(turn: TurnState, { id, index, signature }: Proposal): CallPlace {
  const stated = Number.isSafeInteger(index) && index! >= 0 && index! <= MOST_PLACE ? index : undefined;
  const key = `${id}\0${signature}`;
  const known = id === undefined ? [] : (turn.places.get(key) ?? []);
  const ended = known.find((place) => !place.running && (stated === undefined || stated === place.index));
  if (ended) {
    ended.running = true;
    return ended;
  }
  const place = { index: stated ?? turn.nextCall, running: true };
  turn.nextCall = Math.max(turn.nextCall, place.index + 1);
  if (id !== undefined) turn.places.set(key, [...known, place]);
  return place;
}
