/** Run, turn and call travel in OpenTelemetry's context, so that parallel calls, pools and timers keep their parent. */
import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  type Span,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { Clock } from "../clock.ts";
import type { SigningKey } from "../hmac.ts";

export interface RunState {
  readonly id: string;
  /** Attributes of the run that every span of it carries. */
  readonly attributes: Attributes;
  readonly key: SigningKey;
  readonly clock: Clock;
  readonly tracer: Tracer | undefined;
  readonly span: Span | undefined;
  nextSequence: number;
  nextTurn: number;
  latestTurn: TurnState | undefined;
}

export interface TurnState {
  readonly run: RunState;
  readonly index: number;
  /** The turn's own `chat` span, where we emitted it. */
  readonly span: Span | undefined;
  /** The model's answer was cut off by its token limit. */
  readonly cutOff: boolean;
  nextCall: number;
  /** By id, tool and arguments of the calls: an engine's retry of a call keeps the call's place. */
  readonly places: Map<string, readonly CallPlace[]>;
}

/** Place of a call in its turn's batch. */
export interface CallPlace {
  readonly index: number;
  running: boolean;
}

/** The tool call that runs here: parent of a run that is started inside it. */
export interface CallState {
  readonly runId: string | undefined;
  readonly callId: string | undefined;
}

const RUN = createContextKey("mulligan.run");
const TURN = createContextKey("mulligan.turn");
const CALL = createContextKey("mulligan.call");

export function runIn(at: Context): RunState | undefined {
  return at.getValue(RUN) as RunState | undefined;
}

export function turnIn(at: Context): TurnState | undefined {
  return at.getValue(TURN) as TurnState | undefined;
}

export function callIn(at: Context): CallState | undefined {
  return at.getValue(CALL) as CallState | undefined;
}

/** A new run begins: turn and call of the outer one end here. */
export function withRun(at: Context, run: RunState): Context {
  const inside = at.setValue(RUN, run).deleteValue(TURN).deleteValue(CALL);
  return run.span ? trace.setSpan(inside, run.span) : inside;
}

/** Without a chat span of ours the innermost span stays the parent: it is the host's own step, or the run. */
export function withTurn(at: Context, turn: TurnState): Context {
  const outside = runIn(at) === turn.run ? at : withRun(at, turn.run);
  const inside = outside.setValue(TURN, turn).deleteValue(CALL);
  return turn.span ? trace.setSpan(inside, turn.span) : inside;
}

export function withCall(at: Context, call: CallState, span: Span): Context {
  return trace.setSpan(at.setValue(CALL, call), span);
}

/** Runs host code exactly once in a context, also where the context manager itself fails. */
export function runInside<T>(at: Context, work: () => T): T {
  let started = false;
  try {
    return context.with(at, () => {
      started = true;
      return work();
    });
  } catch (error) {
    if (started) throw error;
    return work();
  }
}
