/** The executor of the demo's agents: what an application has already, and the one line that instruments it. */
import { AsyncLocalStorage } from "node:async_hooks";
import { type ErrorClass, instrumentExecutor, ToolInputError } from "@mulligan/instrumentation";
import {
  ATTR_ERROR_RUNG,
  ATTR_RESULT_CONTINUATION_ID,
  ATTR_RESULT_STATE,
} from "@mulligan/instrumentation/internal/semconv";
import { keyedDigest } from "@mulligan/instrumentation/internal/signature";
import { resolveSigningKey } from "@mulligan/instrumentation/internal/signing-key";
import { type Tracer, trace } from "@opentelemetry/api";
import type { ErrorTexts, Refused } from "./error-texts.ts";
import type { Backend } from "./shop.ts";
import { DeniedError, UpstreamError, UpstreamTimeout } from "./tools/outside.ts";
import { type Arguments, mended, type Tool, type ToolAnswer } from "./tools/tool.ts";
import { NAMES_MEANT, type ToolSet } from "./tools/tools.ts";

/** One call as the model wrote it. */
export interface ProposedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Runs one call and gives the text that the model reads; a failed call throws an error whose message it reads. */
export type Execute = (call: ProposedCall) => Promise<string>;

export interface ExecutorOptions {
  readonly tools: ToolSet;
  readonly texts: ErrorTexts;
  readonly tracer: Tracer;
  readonly key: string;
}

/** The backend of the run that is under way here: many runs share one executor. */
export const backends = new AsyncLocalStorage<Backend>();

function backend(): Backend {
  const found = backends.getStore();
  if (found === undefined) throw new Error("a call of the demo runs outside of backends.run()");
  return found;
}

/** Milliseconds that the checks of a call take. */
const CHECKING = { least: 2, most: 14 };

export function createExecutor({ tools, texts, tracer, key }: ExecutorOptions): Execute {
  /** No grader of texts yet: what the template's owner knows of its rung is stated on the call's own span. */
  function failed(error: Error): Error {
    trace.getActiveSpan()?.setAttribute(ATTR_ERROR_RUNG, texts.rung);
    return error;
  }
  const refusal = (refused: Refused) => failed(new Error(texts.refused(refused)));

  async function execute(call: ProposedCall): Promise<string> {
    const at = backend();
    const { name } = call;
    const tool = tools.byName.get(name);
    const args = parsed(call.arguments);
    await at.time.sleep(at.random.whole(CHECKING.least, CHECKING.most));
    if (args instanceof Error) throw refusal({ name, raw: String(args), ...(tool && { tool }) });
    if (tool === undefined) throw refusal({ name, args, raw: `KeyError: '${name}'`, nameMeant: NAMES_MEANT[name] });
    const issues = tool.schema?.safeParse(args).error?.issues;
    if (issues !== undefined) {
      const parameter = issues[0]?.path[0];
      throw refusal({ ...refusedBy(tool, args, at), raw: JSON.stringify(issues), parameter: parameter?.toString() });
    }
    return stated(await run(tool, args, at));
  }

  async function run(tool: Tool, args: Arguments, at: Backend): Promise<ToolAnswer> {
    try {
      return await tool.run(args, at);
    } catch (error) {
      if (error instanceof ToolInputError) {
        const { parameter, category, message: raw } = error;
        const message = texts.refused({ ...refusedBy(tool, args, at), raw, parameter });
        throw failed(new ToolInputError({ parameter, category, message }));
      }
      if (error instanceof DeniedError) error.message = texts.denied(error.message, error.rule);
      else if (isOutage(error)) error.message = texts.unavailable(error.message);
      throw error instanceof Error ? failed(error) : error;
    }
  }

  /** What the tool knows of work that goes on is stated on the call's span too: the wrapper does not read results. */
  function stated({ result, state, continuation }: ToolAnswer): string {
    const span = trace.getActiveSpan();
    if (state !== undefined) span?.setAttribute(ATTR_RESULT_STATE, state);
    if (continuation !== undefined) {
      const id = keyedDigest(resolveSigningKey(key), "continuation", continuation);
      span?.setAttribute(ATTR_RESULT_CONTINUATION_ID, id);
    }
    return JSON.stringify(result);
  }

  return instrumentExecutor(execute, {
    tools: [...tools.byName.values()].map(({ definition }) => definition),
    templateVersion: texts.version,
    classifyError,
    key,
    tracer,
    clock: () => backend().time.now(),
  });
}

function parsed(text: string): Arguments | Error {
  try {
    return JSON.parse(text) as Arguments;
  } catch (error) {
    return error as Error;
  }
}

function refusedBy(tool: Tool, args: Arguments, { shop }: Backend) {
  return { name: tool.name, tool, args, meant: mended(tool, args, shop) };
}

function isOutage(error: unknown): error is UpstreamError | UpstreamTimeout {
  return error instanceof UpstreamError || error instanceof UpstreamTimeout;
}

function classifyError(error: unknown): ErrorClass | undefined {
  if (error instanceof DeniedError) return { failureClass: "denied", rule: error.rule, retryability: "never" };
  if (error instanceof UpstreamTimeout) return { failureClass: "timeout", retryability: "as_is" };
  if (error instanceof UpstreamError) {
    return { failureClass: "execution", category: "http_5xx", retryability: "as_is" };
  }
  return undefined;
}
