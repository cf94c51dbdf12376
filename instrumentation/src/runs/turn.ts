import { type Attributes, context, type Span, SpanKind } from "@opentelemetry/api";
import { toHrTime } from "../clock.ts";
import { MOST_DURATION_MS, MOST_TOOLS, MOST_TURN } from "../grammar.ts";
import { guarded, reportOnce } from "../guard.ts";
import { safeCount, safeLabel, safeWord } from "../safe-text.ts";
import * as semconv from "../semconv.ts";
import { packageTracer } from "../tracer.ts";
import { type RunState, runInside, type TurnState, withRun, withTurn } from "./context.ts";

/** Tokens of one model response. What is not known stays absent, and is never 0. */
export interface Usage {
  /** Cached part included: add it for a provider that reports it apart (Anthropic does). */
  readonly inputTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
}

export interface TurnOptions {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly usage?: Usage | undefined;
  /** Duration of the model's response in ms; the turn's span starts that long before now. */
  readonly durationMs?: number | undefined;
  /** As the provider says it: `tool_calls`, `length`, `max_tokens`, … */
  readonly finishReason?: string | undefined;
  /** Number of the turn in the run, from 0; counted by itself if absent. */
  readonly index?: number | undefined;
  readonly toolsOffered?: number | undefined;
  /** `false` where the model client's own instrumentation emits the turn's span. */
  readonly span?: boolean | undefined;
}

/** One model response, also one that holds only text. */
export interface Turn {
  readonly index: number;
  /** Runs a function inside the turn: the calls in it are the turn's. Returns what the function returns. */
  with<T>(work: () => T): T;
  /** The function, bound to the turn: for worker pools and queues that run it later. */
  bind<A extends unknown[], T>(work: (...args: A) => T): (...args: A) => T;
}

const CUT_OFF = new Set(["length", "max_tokens", "max_output_tokens", "incomplete", "MAX_TOKENS"]);

/** Opens a turn. Never throws: what cannot be read of the options counts as absent. */
export function startTurn(run: RunState, given: TurnOptions | null | undefined): Turn {
  const options = given ?? {};
  const unread = "a model turn's options could not be read";
  const index = guarded("turn-index", unread, () => turnIndex(run, options.index), run.nextTurn);
  const cutOff = guarded("turn-finish", unread, () => CUT_OFF.has(String(options.finishReason)), false);
  const span = guarded(
    "turn-span",
    "a model turn's span could not be recorded",
    () => (options.span === false ? undefined : emit(run, index, options)),
    undefined,
  );
  const turn: TurnState = { run, index, span, cutOff, nextCall: 0, places: new Map() };
  run.nextTurn = Math.min(index + 1, MOST_TURN);
  run.latestTurn = turn;
  return {
    index,
    with: (work) => runInside(withTurn(context.active(), turn), work),
    bind(work) {
      const at = withTurn(context.active(), turn);
      return (...args) => runInside(at, () => work(...args));
    },
  };
}

function turnIndex(run: RunState, index: number | undefined): number {
  if (index === undefined || index === null) return run.nextTurn;
  if (Number.isSafeInteger(index) && index >= 0 && index <= MOST_TURN) return index;
  reportOnce(
    "turn-index-range",
    `a turn's index must be a whole number from 0 to ${MOST_TURN}; turns are counted by themselves instead`,
  );
  return run.nextTurn;
}

function emit(run: RunState, index: number, options: TurnOptions): Span {
  const end = run.clock();
  const measured = options.durationMs;
  const durationMs =
    typeof measured === "number" && measured >= 0 && measured <= MOST_DURATION_MS ? measured : undefined;
  if (measured !== undefined && measured !== null && durationMs === undefined) {
    reportOnce(
      "turn-duration",
      "a turn's durationMs must be a number of milliseconds from 0 to 30 days, such as 1140; it is left out",
    );
  }
  const model = safeLabel(options.model);
  const span = packageTracer(run.tracer).startSpan(
    model === undefined ? semconv.OPERATION_CHAT : `${semconv.OPERATION_CHAT} ${model}`,
    {
      kind: SpanKind.CLIENT,
      startTime: toHrTime(end - (durationMs ?? 0)),
      attributes: {
        [semconv.ATTR_GEN_AI_OPERATION_NAME]: semconv.OPERATION_CHAT,
        ...run.attributes,
        [semconv.ATTR_TURN_INDEX]: index,
        [semconv.ATTR_TURN_SOURCE]: "exact",
        ...(durationMs !== undefined && { [semconv.ATTR_TURN_DURATION_MS]: durationMs }),
        ...guarded("turn-model", "a model turn's details could not be read", () => modelAttributes(options), {}),
      },
    },
    withRun(context.active(), run),
  );
  span.end(toHrTime(end));
  return span;
}

function modelAttributes(options: TurnOptions): Attributes {
  const model = safeLabel(options.model);
  const provider = safeLabel(options.provider);
  const finishReason = safeWord("a turn's finishReason", options.finishReason);
  const counts = {
    ...guarded("turn-usage", "a model turn's usage could not be read", () => usageCounts(options.usage ?? {}), {}),
    [semconv.ATTR_TURN_TOOLS_OFFERED]: safeCount("toolsOffered", options.toolsOffered, MOST_TOOLS),
  };
  return {
    ...(model !== undefined && { [semconv.ATTR_GEN_AI_REQUEST_MODEL]: model }),
    ...(provider !== undefined && { [semconv.ATTR_GEN_AI_PROVIDER_NAME]: provider }),
    ...(finishReason !== undefined && { [semconv.ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: [finishReason] }),
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined)),
  };
}

function usageCounts(usage: Usage): Record<string, number | undefined> {
  return {
    [semconv.ATTR_GEN_AI_USAGE_INPUT_TOKENS]: safeCount("usage.inputTokens", usage.inputTokens),
    [semconv.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: safeCount("usage.cachedInputTokens", usage.cachedInputTokens),
    [semconv.ATTR_GEN_AI_USAGE_CACHE_WRITE_INPUT_TOKENS]: safeCount("usage.cacheWriteTokens", usage.cacheWriteTokens),
    [semconv.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: safeCount("usage.outputTokens", usage.outputTokens),
  };
}
