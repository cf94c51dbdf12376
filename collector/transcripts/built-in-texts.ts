/** Error texts that frameworks write themselves, and the failure class that each proves (IMPORTS.md). */
import type { FailureClass } from "@mulligan/instrumentation/internal/semconv";

/** Start of the text, case kept. */
const STARTS: readonly (readonly [start: string, failureClass: FailureClass])[] = [
  ["InvalidToolInputError", "schema"],
  ["Type validation failed", "schema"],
  ["MCP error -32602", "schema"],
  ["Received tool input did not match expected schema", "schema"],
  ["Tool input validation failed", "schema"],
  ["<tool_use_error>InputValidationError", "schema"],
  ["JSON parsing failed", "malformed"],
  ["Error decoding the model response", "malformed"],
  ["An error occurred while parsing tool arguments", "malformed"],
  ["Model tried to call unavailable tool", "unknown_tool"],
  ["Unknown action", "unknown_tool"],
  ["<tool_use_error>Error: No such tool available", "unknown_tool"],
  ["Invalid input for tool", "schema"],
];

/** The AI SDK puts this before the reason: the reason decides where there is one. */
const PREFIX = /^Invalid input for tool [^\n]{1,256}?: (?=\S)/;

/** The class that a framework's own error text proves, or null where the text is none of them. */
export function builtInClass(text: string): FailureClass | null {
  return startClass(text.replace(PREFIX, "")) ?? startClass(text);
}

function startClass(text: string): FailureClass | null {
  return STARTS.find(([start]) => text.startsWith(start))?.[1] ?? null;
}
