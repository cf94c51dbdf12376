import { type Attributes, context, SpanKind } from "@opentelemetry/api";
import { reliable, toHrTime } from "../clock.ts";
import { guarded, reportOnce } from "../guard.ts";
import { type TurnState, withCall } from "../runs/context.ts";
import { createImplicitRun } from "../runs/implicit-run.ts";
import { safeId, safeLabel, safeVersion } from "../safe-text.ts";
import * as semconv from "../semconv.ts";
import { type CanonicalArguments, canonicalArguments, signature } from "../signature.ts";
import { resolveSigningKey } from "../signing-key.ts";
import { packageTracer } from "../tracer.ts";
import type { ExecutorOptions, ToolCall } from "../types.ts";
import { type Validation, validate } from "../validation/validate.ts";
import { callAttributes, contentText, shownName, toolAttributes } from "./attributes.ts";
import { spanEnd } from "./call-end.ts";
import { placeOf } from "./place.ts";
import { readCall } from "./read-call.ts";
import { indexTools, type Tool, type ToolIndex } from "./tools.ts";
import type { CallWatcher } from "./watch.ts";

/** One call on its way: what was proposed, what the schema thinks, and the span that is told how it ends. */
export interface RecordedCall extends CallWatcher {
  readonly call: ToolCall;
  readonly tool: Tool | undefined;
  readonly tools: ToolIndex | undefined;
  readonly validation: Validation | Promise<Validation>;
  /** The call was not run: the schema refused it. */
  rejected(validation: Extract<Validation, { opinion: "rejected" }>): void;
}

const UNCHECKED: Validation = { opinion: "unchecked" };

/** Turns the arguments of one executor into recorded calls. */
export function createCallRecorder(options: ExecutorOptions) {
  const clock = reliable(options.clock);
  const tools = indexTools(options.tools);
  const nextImplicit = createImplicitRun();
  const readOwn = options.call as ((...args: readonly unknown[]) => ToolCall) | undefined;

  /** Reads and opens a call. Undefined where there is none to be read: the host's call goes on by itself. */
  return function begin(given: readonly unknown[]): RecordedCall | undefined {
    const call = readOwn ? readOwn(...given) : readCall(given[0]);
    if (typeof call?.name !== "string") {
      reportOnce(
        "call-shape",
        "a tool call could not be read, so it has no span: pass an executor a first argument { name, arguments, id }, " +
          "or say where the call is with the option call: (...args) => ({ name, arguments, id })",
      );
      return undefined;
    }
    const key = resolveSigningKey(options.key);
    const args = canonicalArguments(call.arguments);
    const tool = tools?.find(call.name);
    const around = context.active();
    const start = clock();
    const proposal = { id: safeId(key, call.id), index: call.index, signature: signature(key, call.name, args) };
    const place = placeOf(around, proposal, () => nextImplicit(start));
    const shown = shownName(call.name, tool, tools !== undefined);
    const attributes: Attributes = {
      [semconv.ATTR_GEN_AI_OPERATION_NAME]: semconv.OPERATION_EXECUTE_TOOL,
      ...hostAttributes(options),
      ...place.attributes,
      ...toolAttributes(call, args, tool, shown, tools, key),
      ...callAttributes(call, proposal, args, tool, key),
      ...(options.captureContent === true && {
        [semconv.ATTR_GEN_AI_TOOL_CALL_ARGUMENTS]: contentText(call.arguments) ?? "",
      }),
    };
    const span = packageTracer(options.tracer).startSpan(
      `${semconv.OPERATION_EXECUTE_TOOL} ${shown}`,
      { kind: SpanKind.INTERNAL, startTime: toHrTime(start), attributes },
      place.parent,
    );
    return {
      call,
      tool,
      tools,
      ...validationOf(args, call, tool, tools, place.turn, options),
      ...spanEnd(span, clock, options, call, tool, place.leave),
      context: withCall(place.parent, { runId: place.runId, callId: proposal.id }, span),
    };
  };
}

function hostAttributes(options: ExecutorOptions): Attributes {
  const agent = safeLabel(options.agent);
  const template = safeVersion(options.templateVersion);
  const conversation = safeId(resolveSigningKey(options.key), options.conversationId);
  return {
    ...(agent !== undefined && { [semconv.ATTR_GEN_AI_AGENT_NAME]: agent }),
    ...(conversation !== undefined && { [semconv.ATTR_GEN_AI_CONVERSATION_ID]: conversation }),
    ...(template !== undefined && { [semconv.ATTR_ERROR_TEMPLATE_VERSION]: template }),
  };
}

function validationOf(
  args: CanonicalArguments,
  call: ToolCall,
  tool: Tool | undefined,
  tools: ToolIndex | undefined,
  turn: TurnState | undefined,
  options: ExecutorOptions,
): { validation: Validation | Promise<Validation> } {
  const input = {
    args,
    raw: call.arguments,
    tool,
    toolsKnown: tools !== undefined,
    cutOff: turn?.cutOff === true,
    formats: options.formats !== false,
  };
  const validation = guarded("validate", "a call could not be validated", () => validate(input), UNCHECKED);
  // What nobody waits for must not become an unhandled rejection.
  return { validation: validation instanceof Promise ? validation.catch(() => UNCHECKED) : validation };
}
