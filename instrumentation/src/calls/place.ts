import { type Attributes, type Context, trace } from "@opentelemetry/api";
import { type RunState, runIn, type TurnState, turnIn } from "../runs/context.ts";
import * as semconv from "../semconv.ts";
import type { ToolCall } from "../types.ts";

/** Where a call stands, and what its span says of that. */
export interface Place {
  readonly parent: Context;
  readonly turn: TurnState | undefined;
  readonly runId: string | undefined;
  readonly attributes: Attributes;
}

/** Where a call stands: in a turn of a run, in a run, in somebody's span, or nowhere. */
export function placeOf(around: Context, call: ToolCall, nextImplicit: () => { id: string; sequence: number }): Place {
  const run = runIn(around);
  if (run) return placeInRun(around, run, call);
  const active = trace.getSpanContext(around);
  if (active && trace.isSpanContextValid(active)) {
    // The collector takes the nearest enclosing invoke_agent span, or the trace.
    return { parent: around, turn: undefined, runId: undefined, attributes: {} };
  }
  const { id, sequence } = nextImplicit();
  const attributes = { [semconv.ATTR_RUN_ID]: id, [semconv.ATTR_CALL_SEQUENCE]: sequence };
  return { parent: around, turn: undefined, runId: id, attributes };
}

function placeInRun(around: Context, run: RunState, call: ToolCall): Place {
  const attributes: Attributes = { ...run.attributes, [semconv.ATTR_CALL_SEQUENCE]: run.nextSequence++ };
  // A loop that reports its turns need not carry them: until the next one is reported, the latest is the current one.
  const turn = turnIn(around) ?? run.latestTurn;
  if (turn) {
    attributes[semconv.ATTR_TURN_INDEX] = turn.index;
    attributes[semconv.ATTR_TURN_SOURCE] = "exact";
    attributes[semconv.ATTR_CALL_INDEX] = placeInTurn(turn, call);
  }
  const inRunSpan = run.span !== undefined && trace.getSpan(around) === run.span;
  const parent = turn?.span && inRunSpan ? trace.setSpan(around, turn.span) : around;
  return { parent, turn, runId: run.id, attributes };
}

function placeInTurn(turn: TurnState, { id, index }: ToolCall): number {
  const known = id ? turn.places.get(id) : undefined;
  const place = Number.isSafeInteger(index) && index! >= 0 ? index! : (known ?? turn.nextCall);
  if (known === undefined) turn.nextCall = Math.max(turn.nextCall, place) + 1;
  if (id) turn.places.set(id, place);
  return place;
}
