/** Public types of the package: stable, and free of anything that only the inside needs. */
import type { Tracer } from "@opentelemetry/api";
import type { Clock } from "./clock.ts";
import type { ToolInputError } from "./errors/tool-input-error.ts";
import type { FailureClass, Origin, Retryability } from "./semconv.ts";

/** Any function that runs one tool call. */
export type Executor = (...args: never[]) => unknown;

/** A JSON Schema, draft 2020-12 (draft-07 is accepted where 2020-12 refuses it). */
export type JsonSchema = object | boolean;

/** What is needed of Standard Schema (standardschema.dev); zod 4, valibot 1 and arktype 2 have it. */
export interface StandardSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    readonly jsonSchema?: { readonly input: (options: { target: "draft-2020-12" }) => object } | undefined;
  };
}

/** Result of a Standard Schema: issues, or a value. */
export interface StandardResult {
  readonly issues?: readonly StandardIssue[] | undefined;
}

/** One issue; vendors add fields of their own. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * A tool as it is declared to the model, in any of the usual shapes: OpenAI Chat Completions (`function`), OpenAI
 * Responses (`parameters`), Anthropic (`input_schema`), MCP (`inputSchema`, `annotations`), or ours (`schema`). The other
 * fields are ours alone and never reach the model.
 */
export interface ToolDefinition {
  readonly name?: string;
  readonly description?: string | null | undefined;
  /** JSON Schema or Standard Schema of the arguments. */
  readonly schema?: unknown;
  readonly parameters?: unknown;
  readonly input_schema?: unknown;
  readonly inputSchema?: unknown;
  readonly function?: { readonly name: string; readonly parameters?: unknown; readonly strict?: boolean | null };
  readonly strict?: boolean | null | undefined;
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined; readonly openWorldHint?: boolean | undefined };
  /** Version of the definition; without one, a digest of name, description and schema. */
  readonly schemaVersion?: string;
  /** MCP server or package that offers the tool: two servers' `search` are two tools. */
  readonly source?: string;
  /** Whether a call changes anything outside the agent. */
  readonly mutates?: boolean;
  /** Whether what a call changed can be taken back. */
  readonly reversible?: boolean;
  /** Whether a call reaches beyond your own systems. */
  readonly external?: boolean;
}

/** The tools of an executor: by name, or the list that is sent to the model. */
export type ToolSet = Readonly<Record<string, ToolDefinition | StandardSchema>> | readonly ToolDefinition[];

/** Where a call is, in the arguments of your executor. */
export interface ToolCall {
  readonly name: string;
  /** As the model wrote them if you still have that text (numbers stay exact), else the parsed value. */
  readonly arguments?: unknown;
  /** The provider's id of the call. */
  readonly id?: string | null | undefined;
  /** Place in the turn's batch, from 0; without it, calls are counted as they come. */
  readonly index?: number | undefined;
  /** Id of the failed call that this one repairs, where you know it. */
  readonly repairOf?: string | undefined;
  /** Your durable id of the intent; it leaves the process as a keyed digest. */
  readonly operationId?: string | undefined;
  /** Who proposed the call; all but `model` (the default) stand in no rate. */
  readonly origin?: Origin | undefined;
}

/** What `classifyError` may say of a failure. */
export interface ErrorClass {
  readonly failureClass: FailureClass;
  /** Argument at fault, for `tool_input` and `schema`: a dotted path such as `guests.0.age`. */
  readonly parameter?: string | undefined;
  /** A word of yours from a small fixed list, such as `not_found`, or a category of the fingerprint vocabulary. */
  readonly category?: string | undefined;
  readonly retryability?: Retryability | undefined;
  /** Declared id of the rule that denied the call. */
  readonly rule?: string | undefined;
}

export interface ExecutorOptions<F extends Executor = Executor> {
  /** The declared tools. Without them no schema is checked, and names are recorded as the model wrote them. */
  readonly tools?: ToolSet | undefined;
  /**
   * `observe` (default): your function is always called with exactly what it would have got. `enforce`: a malformed,
   * unknown or schema-invalid call does not reach it; a `ToolInputError` is thrown whose `message` is a text for the model.
   */
  readonly mode?: "observe" | "enforce" | undefined;
  /** Says where the call is; the default reads a first argument `{ name, arguments, id }`. */
  readonly call?: ((...args: Parameters<F>) => ToolCall) | undefined;
  /** In `enforce` mode: what to return in place of throwing. */
  readonly onRejected?: ((error: ToolInputError, ...args: Parameters<F>) => Awaited<ReturnType<F>>) | undefined;
  /** Whether a returned value is an error; the default knows MCP's `{ isError: true }`. */
  readonly isError?: ((result: Awaited<ReturnType<F>>) => boolean) | undefined;
  /** The class of a thrown error, or of a result that `isError` flagged; undefined leaves it to the defaults. */
  readonly classifyError?: ((error: unknown, call: ToolCall) => ErrorClass | FailureClass | undefined) | undefined;
  /** Signing key, at least 16 bytes; else `MULLIGAN_SIGNING_KEY`. */
  readonly key?: string | undefined;
  /** Version of the error texts that the model reads, also on calls that succeed. */
  readonly templateVersion?: string | undefined;
  readonly agent?: string | undefined;
  readonly conversationId?: string | undefined;
  /** Records arguments and results on the span, cut at 32,768 characters each. Off by default: they are content. */
  readonly captureContent?: boolean | undefined;
  /** Whether `format` in a JSON Schema is checked (default) or an annotation, as some frameworks take it. */
  readonly formats?: boolean | undefined;
  /** Time in ms since 1970; sets the start and end of the spans. */
  readonly clock?: Clock | undefined;
  readonly tracer?: Tracer | undefined;
}
