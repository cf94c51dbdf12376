/** What a tool of the demo is: a schema that validates, code that refuses, and what it believes was meant. */
import type { ToolDefinition } from "@mulligan/instrumentation";
import type { ResultState } from "@mulligan/instrumentation/internal/semconv";
import type { z } from "zod";
import type { Backend, Shop } from "../shop.ts";

export type Arguments = Readonly<Record<string, unknown>>;

export interface ToolAnswer {
  /** What the model reads. */
  readonly result: Readonly<Record<string, unknown>>;
  /** How far the work has come that goes on under `continuation`, as far as the tool knows. */
  readonly state?: ResultState;
  readonly continuation?: string;
}

/**
 * What a parameter was meant to be, given what came for it (undefined where nothing did) and all that came; undefined
 * where that cannot be told.
 */
export type Mend = (received: unknown, shop: Shop, args: Arguments) => unknown;

export interface Tool {
  readonly name: string;
  readonly definition: ToolDefinition;
  /** Absent where nothing checks the arguments before the tool runs. */
  readonly schema: z.ZodType<Arguments> | undefined;
  /** Arguments that fit, for a text that shows some. */
  readonly example: Arguments;
  readonly mends: Readonly<Record<string, Mend>>;
  /** Throws a `ToolInputError` whose message is the bare exception; the error template makes the model's text of it. */
  run(args: Arguments, backend: Backend): Promise<ToolAnswer>;
}

export interface ToolOptions<A extends Arguments> {
  readonly description: string;
  readonly version: string;
  readonly schema?: z.ZodType<A>;
  readonly example: NoInfer<A>;
  /** `mutates`, `reversible` and `external`, as the instrumentation takes them; nothing stated is the risk *unstated*. */
  readonly risk?: Pick<ToolDefinition, "mutates" | "reversible" | "external">;
  readonly mends?: Readonly<Record<string, Mend>>;
  readonly run: (args: A, backend: Backend) => Promise<ToolAnswer>;
}

export function defineTool<A extends Arguments>(name: string, options: ToolOptions<A>): Tool {
  const { description, version, schema, example, risk, mends = {}, run } = options;
  return {
    name,
    definition: { name, description, schemaVersion: version, ...risk, ...(schema === undefined ? {} : { schema }) },
    schema: schema as z.ZodType<Arguments> | undefined,
    example,
    mends,
    run: run as Tool["run"],
  };
}

/**
 * The call that was meant, as far as the tool can tell: every argument that it can mend mended, those that it does not
 * know left out. Undefined where even that would be refused.
 */
export function mended(tool: Tool, args: Arguments, shop: Shop): Arguments | undefined {
  const known = Object.keys(tool.example).map((name) => {
    const mend = tool.mends[name];
    return [name, mend === undefined ? args[name] : (mend(args[name], shop, args) ?? args[name])] as const;
  });
  const meant = Object.fromEntries(known.filter(([, value]) => value !== undefined));
  return tool.schema?.safeParse(meant).success === true ? meant : undefined;
}
