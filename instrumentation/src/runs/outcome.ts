import { type Attributes, context, SpanKind, type Tracer } from "@opentelemetry/api";
import { type Clock, reliable, toHrTime } from "../clock.ts";
import { MOST_LEG } from "../grammar.ts";
import { guarded, reportOnce } from "../guard.ts";
import { safeCount, safeId, safeLabel, safeWord } from "../safe-text.ts";
import * as semconv from "../semconv.ts";
import { resolveSigningKey } from "../signing-key.ts";
import { packageTracer } from "../tracer.ts";

export interface RunOutcomeOptions {
  /** Which budget was used up, for `exhausted`. */
  readonly budget?: string | undefined;
  readonly leg?: number | undefined;
  readonly agent?: string | undefined;
  readonly key?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly tracer?: Tracer | undefined;
}

/** The outcome, if it is one; a word that is none is told once, stays off the span and leaves the run *unknown*. */
export function knownOutcome(outcome: unknown): semconv.RunOutcome | undefined {
  if (outcome === undefined || outcome === null) return undefined;
  if (semconv.RUN_OUTCOMES.includes(outcome as semconv.RunOutcome)) return outcome as semconv.RunOutcome;
  reportOnce(
    "outcome",
    `a run's outcome must be one of ${semconv.RUN_OUTCOMES.join(", ")}; another one counts as unknown`,
  );
  return undefined;
}

/**
 * Reports a run's outcome later or from another process: a zero-length `invoke_agent` span. Sent twice it changes
 * nothing; of two outcomes the later report wins. Never throws.
 */
export function recordRunOutcome(runId: string, outcome: semconv.RunOutcome, options: RunOutcomeOptions = {}): void {
  const message = "a run's outcome could not be recorded";
  guarded(
    "run-outcome",
    message,
    () => {
      const { agent: name, key, leg: given, budget, clock, tracer }: RunOutcomeOptions = options ?? {};
      const agent = safeLabel(name);
      const leg = safeCount("a run's leg", given, MOST_LEG);
      const id = safeId(resolveSigningKey(key), runId);
      if (id === undefined) {
        reportOnce("outcome-run", "recordRunOutcome needs the id of the run as its first argument; it records nothing");
        return;
      }
      const attributes: Attributes = {
        [semconv.ATTR_RUN_ID]: id,
        ...(agent !== undefined && { [semconv.ATTR_GEN_AI_AGENT_NAME]: agent }),
        ...(leg !== undefined && { [semconv.ATTR_RUN_LEG]: leg }),
      };
      emitOutcome(id, outcome, budget, attributes, reliable(clock), tracer);
    },
    undefined,
  );
}

export function emitOutcome(
  runId: string,
  outcome: unknown,
  budget: unknown,
  runAttributes: Attributes,
  clock: Clock,
  tracer: Tracer | undefined,
): void {
  const known = knownOutcome(outcome);
  if (known === undefined) return;
  const word = safeWord("a run's budget", budget);
  const agent = runAttributes[semconv.ATTR_GEN_AI_AGENT_NAME];
  const time = toHrTime(clock());
  const span = packageTracer(tracer).startSpan(
    agent === undefined ? semconv.OPERATION_INVOKE_AGENT : `${semconv.OPERATION_INVOKE_AGENT} ${agent}`,
    {
      kind: SpanKind.INTERNAL,
      startTime: time,
      attributes: {
        [semconv.ATTR_GEN_AI_OPERATION_NAME]: semconv.OPERATION_INVOKE_AGENT,
        ...runAttributes,
        [semconv.ATTR_RUN_ID]: runId,
        [semconv.ATTR_RUN_OUTCOME]: known,
        ...(word !== undefined && { [semconv.ATTR_RUN_BUDGET]: word }),
      },
    },
    context.active(),
  );
  span.end(time);
}
