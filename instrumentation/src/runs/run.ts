import { randomUUID } from "node:crypto";
import { type Attributes, context, type Span, SpanKind, type Tracer } from "@opentelemetry/api";
import { type Clock, reliable, toHrTime } from "../clock.ts";
import { COHORT_KEY, MOST_COHORT_KEYS, MOST_LEG } from "../grammar.ts";
import { guarded, reportOnce } from "../guard.ts";
import { safeCount, safeId, safeLabel, safeVersion, safeWord } from "../safe-text.ts";
import * as semconv from "../semconv.ts";
import { resolveSigningKey } from "../signing-key.ts";
import { packageTracer } from "../tracer.ts";
import { callIn, type RunState, runInside, withRun } from "./context.ts";
import { emitOutcome, knownOutcome } from "./outcome.ts";
import { startTurn, type Turn, type TurnOptions } from "./turn.ts";

export interface RunOptions {
  /** Name of the agent. */
  readonly agent?: string | undefined;
  /** White space in it is written `_`. */
  readonly agentVersion?: string | undefined;
  /** A conversation may hold many runs, and is never a run. */
  readonly conversationId?: string | undefined;
  /**
   * Id of the run, to resume it elsewhere or to report its outcome later; random if absent. It must never come from
   * content (a user's text, a mail address): it is stored as it is. Ids with white space, control characters or more than
   * 128 characters are taken for content and replaced by a keyed digest.
   */
  readonly runId?: string | undefined;
  /** Counts resumptions of the run: 0 (default) where it began, 1 where it goes on in another process. */
  readonly leg?: number | undefined;
  /** The run that started this one; by itself that of the tool call around `startRun`. */
  readonly parentRunId?: string | undefined;
  readonly parentCallId?: string | undefined;
  /**
   * Declared cohort keys with bounded values, such as `{ tenant_tier: "gold" }`: at most 16 keys of letters, digits, `_`,
   * `-` and `.`.
   */
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
    () => open(options ?? {}),
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
        () => close(run, ended, outcome, details),
        undefined,
      );
      ended = true;
    },
  };
}

function open(options: RunOptions): RunState {
  const key = resolveSigningKey(options.key);
  const clock = reliable(options.clock);
  const around = context.active();
  const caller = callIn(around);
  const id = safeId(key, options.runId) ?? randomUUID();
  const attributes = runAttributes(id, options, key);
  const parentRunId = safeId(key, options.parentRunId) ?? caller?.runId;
  const parentCallId = safeId(key, options.parentCallId) ?? caller?.callId;
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
  const clock = reliable(options.clock);
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

/** A run without a span, of what can be read of the options: digests want the same key. */
function bare(options: RunOptions): RunState {
  const id = randomUUID();
  const key = guarded("run-key", "a run's key could not be read", () => options?.key, undefined);
  return newState(id, { [semconv.ATTR_RUN_ID]: id }, { key }, undefined);
}

function runAttributes(id: string, options: RunOptions, key: RunState["key"]): Attributes {
  const attributes: Attributes = { [semconv.ATTR_RUN_ID]: id };
  const leg = safeCount("a run's leg", options.leg, MOST_LEG);
  if (leg !== undefined) attributes[semconv.ATTR_RUN_LEG] = leg;
  const agent = safeLabel(options.agent);
  const version = safeVersion(options.agentVersion);
  const conversation = safeId(key, options.conversationId);
  if (agent !== undefined) attributes[semconv.ATTR_GEN_AI_AGENT_NAME] = agent;
  if (version !== undefined) attributes[semconv.ATTR_GEN_AI_AGENT_VERSION] = version;
  if (conversation !== undefined) attributes[semconv.ATTR_GEN_AI_CONVERSATION_ID] = conversation;
  return { ...attributes, ...cohortAttributes(options.cohort ?? {}) };
}

function cohortAttributes(cohort: Readonly<Record<string, unknown>>): Attributes {
  const stated = Object.entries(cohort).filter(([, value]) => value !== undefined && value !== null);
  const labels = stated.flatMap(([name, value]) => {
    const label = safeLabel(value);
    return COHORT_KEY.test(name) && label !== undefined ? [[`${semconv.ATTR_COHORT_PREFIX}${name}`, label]] : [];
  });
  if (labels.length < stated.length || labels.length > MOST_COHORT_KEYS) {
    reportOnce(
      "cohort",
      `a run's cohort has at most ${MOST_COHORT_KEYS} keys of letters, digits, "_", "-" and ".", each with a short text, ` +
        'such as { tenant_tier: "gold" }; what is more or otherwise is left out',
    );
  }
  return Object.fromEntries(labels.slice(0, MOST_COHORT_KEYS));
}

function close(
  run: RunState,
  ended: boolean,
  outcome: unknown,
  details: { readonly budget?: string | undefined } | undefined,
): void {
  const readBudget = () => safeWord("a run's budget", details?.budget);
  const budget = guarded("run-budget", "a run's budget could not be read", readBudget, undefined);
  if (ended) {
    // Of two outcomes the later report wins, and an ended span takes no more attributes.
    if (outcome !== undefined) emitOutcome(run.id, outcome, budget, run.attributes, run.clock, run.tracer);
    return;
  }
  const known = knownOutcome(outcome);
  if (known !== undefined) run.span?.setAttribute(semconv.ATTR_RUN_OUTCOME, known);
  if (budget !== undefined) run.span?.setAttribute(semconv.ATTR_RUN_BUDGET, budget);
  run.span?.end(toHrTime(run.clock()));
}
