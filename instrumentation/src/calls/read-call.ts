import type { ToolCall } from "../types.ts";

/**
 * The default of the option `call`: reads a first argument `{ name, arguments, id }`. Also read are the shapes in which
 * providers hand calls over: `call_id` (OpenAI Responses), `input` (Anthropic), `function` (OpenAI Chat Completions).
 *
 * @returns undefined where there is no such shape
 */
export function readCall(first: unknown): ToolCall | undefined {
  if (typeof first !== "object" || first === null) return undefined;
  const call = first as Record<string, unknown>;
  const inner =
    typeof call.function === "object" && call.function !== null ? (call.function as Record<string, unknown>) : call;
  if (typeof inner.name !== "string") return undefined;
  const id = call.call_id ?? call.id;
  return {
    name: inner.name,
    arguments: inner.arguments ?? call.input,
    ...((typeof id === "string" || typeof id === "number") && { id: String(id) }),
  };
}
