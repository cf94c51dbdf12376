import { randomUUID } from "node:crypto";
import { type Attributes, context, type Span, SpanKind, type Tracer } from "@opentelemetry/api";
import { type Clock, systemClock, toHrTime } from "../clock.ts";
import { guarded, reportOnce } from "../guard.ts";
import { safeId, safeLabel, safeWord } from "../safe-text.ts";
import * as semconv from "../semconv.ts";
import { resolveSigningKey } from "../signing-key.ts";
import { packageTracer } from "../tracer.ts";
import { callIn, type RunState, runInside, withRun } from "./context.ts";
import { emitOutcome, knownOutcome } from "./outcome.ts";
import { startTurn, type Turn, type TurnOptions } from "./turn.ts";

export interface RunOptions {
  /** Name of the agent. */
  readonly agent?: string | undefined;
  readonly agentVersion?: string | undefined;
  /** A conversation may hold many runs, and is never a run. */
  readonly conversationId?: string | undefined;
  /**
   * Id of the run, to resume it elsewhere or to report its outcome later; random if absent. It must never come from
   * content (a user's text, a mail address): it is stored as it is. Ids with white space or more than 128 characters are
   * taken for content and replaced by a keyed digest.
   */
  readonly runId?: string | undefined;
  /** Counts resumptions of the run: 0 (default) where it began, 1 where it goes on in another process. */
  readonly leg?: number | undefined;
  /** The run that started this one; by itself that of the tool call around `startRun`. */
  readonly parentRunId?: string | undefined;
  readonly parentCallId?: string | undefined;
  /** Declared cohort keys with bounded values, such as `{ tenant_tier: "gold" }`. */
  readonly cohort?: Readonly<Record<string, string>> | undefined;
  readonly key?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly tracer?: Tracer | undefined;
}

/** One trajectory of one agent on one task. */
export interface Run {
  readonly id: string;
  /** Runs a function inside the run; spans and calls in it belong to the run. Returns what the function returns. */
  with<T>(work: () => T): T;
  /** The function, bound to the run whenever and wherever it is called. */
  bind<A extends unknown[], T>(work: (...args: A) => T): (...args: A) => T;
  /** Reports one model response; its calls run inside the turn. */
  turn(options?: TurnOptions): Turn;
  /**
   * Ends the run. Without an outcome it is *unknown*, which is never counted as completed.
   *
   * @param details which budget was used up, for `exhausted`: `turns`, `tokens`, `time`, `money`
   */
  end(outcome?: semconv.RunOutcome, details?: { readonly budget?: string | undefined }): void;
}

/** Starts a run and its `invoke_agent` span. Never throws. */
export function startRun(options: RunOptions = {}): Run {
  const state = guarded(
    "run",
    "a run could not be started, so its spans are not recorded",
    () => open(options),
    undefined,
  );
  const run = state ?? bare(options);
  let ended = false;
  return {
    id: run.id,
    with: (work) => runInside(withRun(context.active(), run), work),
    bind(work) {
      const at = withRun(context.active(), run);
      return (...args) => runInside(at, () => work(...args));
    },
    turn: (turnOptions = {}) => startTurn(run, turnOptions),
    end(outcome, details) {
      guarded(
        "run-end",
        "the end of a run could not be recorded",
        () => close(run, ended, outcome, details?.budget),
        undefined,
      );
      ended = true;
    },
  };
}

function open(options: RunOptions): RunState {
  const key = resolveSigningKey(options.key);
  const clock = options.clock ?? systemClock;
  const around = context.active();
  const caller = callIn(around);
  const id = options.runId ? safeId(key, options.runId) : randomUUID();
  const attributes = runAttributes(id, options, key);
  const parentRunId = options.parentRunId ? safeId(key, options.parentRunId) : caller?.runId;
  const parentCallId = options.parentCallId ? safeId(key, options.parentCallId) : caller?.callId;
  const agent = safeLabel(options.agent);
  const span = guarded(
    "run-span",
    "a run's span could not be started",
    () => {
      const name = agent === undefined ? semconv.OPERATION_INVOKE_AGENT : `${semconv.OPERATION_INVOKE_AGENT} ${agent}`;
      return packageTracer(options.tracer).startSpan(
        name,
        {
          kind: SpanKind.INTERNAL,
          startTime: toHrTime(clock()),
          attributes: {
            [semconv.ATTR_GEN_AI_OPERATION_NAME]: semconv.OPERATION_INVOKE_AGENT,
            ...attributes,
            ...(parentRunId !== undefined && { [semconv.ATTR_RUN_PARENT_ID]: parentRunId }),
            ...(parentCallId !== undefined && { [semconv.ATTR_RUN_PARENT_CALL_ID]: parentCallId }),
          },
        },
        around,
      );
    },
    undefined,
  );
  return newState(id, attributes, options, span);
}

function newState(id: string, attributes: Attributes, options: RunOptions, span: Span | undefined): RunState {
  const clock = options.clock ?? systemClock;
  const key = resolveSigningKey(options.key);
  return {
    id,
    attributes,
    key,
    clock,
    tracer: options.tracer,
    span,
    nextSequence: 0,
    nextTurn: 0,
    latestTurn: undefined,
  };
}

function bare(options: RunOptions): RunState {
  const id = randomUUID();
  return newState(id, { [semconv.ATTR_RUN_ID]: id }, { key: options.key }, undefined);
}

function runAttributes(id: string, options: RunOptions, key: RunState["key"]): Attributes {
  const attributes: Attributes = { [semconv.ATTR_RUN_ID]: id };
  const { leg } = options;
  if (leg !== undefined) {
    if (Number.isSafeInteger(leg) && leg >= 0) attributes[semconv.ATTR_RUN_LEG] = leg;
    else
      reportOnce(
        "leg",
        "a run's leg must be a whole number from 0, such as 1 for the first resumption; it is left out",
      );
  }
  const agent = safeLabel(options.agent);
  const version = safeLabel(options.agentVersion);
  if (agent !== undefined) attributes[semconv.ATTR_GEN_AI_AGENT_NAME] = agent;
  if (version !== undefined) attributes[semconv.ATTR_GEN_AI_AGENT_VERSION] = version;
  if (options.conversationId) attributes[semconv.ATTR_GEN_AI_CONVERSATION_ID] = safeId(key, options.conversationId);
  for (const [name, value] of Object.entries(options.cohort ?? {})) {
    const label = safeLabel(value);
    if (safeWord("a cohort key", name) !== undefined && label !== undefined) {
      attributes[`${semconv.ATTR_COHORT_PREFIX}${name}`] = label;
    }
  }
  return attributes;
}

function close(run: RunState, ended: boolean, outcome: unknown, budget: unknown): void {
  if (ended) {
    // Of two outcomes the later report wins, and an ended span takes no more attributes.
    if (outcome !== undefined) emitOutcome(run.id, outcome, budget, run.attributes, run.clock, run.tracer);
    return;
  }
  const known = knownOutcome(outcome);
  const word = safeWord("a run's budget", budget);
  if (known !== undefined) run.span?.setAttribute(semconv.ATTR_RUN_OUTCOME, known);
  if (word !== undefined) run.span?.setAttribute(semconv.ATTR_RUN_BUDGET, word);
  run.span?.end(toHrTime(run.clock()));
}
