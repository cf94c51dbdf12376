/** The fields of one OpenAI Chat Completions message, read with suspicion: files are written by many programs. */
import { isModelName } from "./storable.ts";

export interface ChatCall {
  readonly id: string | null;
  readonly name: string;
  /** As the model wrote them; null where the message has none. */
  readonly arguments: string | null;
  /** The file holds parsed arguments: what the model wrote beyond double precision is lost. */
  readonly parsedSource: boolean;
}

/** Usage of a turn in the record's fields; absent where the message does not state it. */
export interface ChatUsage {
  readonly input_tokens?: number;
  readonly cached_input_tokens?: number;
  readonly output_tokens?: number;
}

/** The calls that a message proposes: `tool_calls`, else the legacy `function_call`. Problems never repeat content. */
export function readCalls(message: Record<string, unknown>): { calls: ChatCall[]; problems: string[] } {
  const listed = message.tool_calls;
  const legacy = message.function_call;
  const calls: ChatCall[] = [];
  const problems: string[] = [];
  if (listed !== undefined && listed !== null && !Array.isArray(listed)) {
    problems.push('"tool_calls" is no list, expected [{"id", "type": "function", "function": {"name", "arguments"}}].');
  }
  const entries = Array.isArray(listed) && listed.length > 0 ? listed : legacy ? [{ function: legacy }] : [];
  entries.forEach((entry: unknown, index) => {
    const call = readCall(entry);
    if (call !== null) calls.push(call);
    else
      problems.push(
        `call ${index} has no tool name, expected {"id", "type": "function", "function": {"name", "arguments"}}.`,
      );
  });
  return { calls, problems };
}

function readCall(entry: unknown): ChatCall | null {
  if (!isObject(entry)) return null;
  const body = isObject(entry.function) ? entry.function : isObject(entry.custom) ? entry.custom : null;
  if (body === null || typeof body.name !== "string" || body.name === "") return null;
  const raw = body.arguments ?? body.input ?? null;
  const parsedSource = raw !== null && typeof raw !== "string";
  return {
    id: typeof entry.id === "string" && entry.id !== "" ? entry.id : null,
    name: body.name,
    arguments: parsedSource ? JSON.stringify(raw) : (raw as string | null),
    parsedSource,
  };
}

/** The text of a message's content: a string, the text parts of a list, or other JSON as text. Null where there is none. */
export function readText(content: unknown): string | null {
  if (content === undefined || content === null) return null;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return JSON.stringify(content);
  const texts = content.flatMap((part: unknown) => {
    if (typeof part === "string") return [part];
    return isObject(part) && typeof part.text === "string" ? [part.text] : [];
  });
  return texts.length > 0 || content.length === 0 ? texts.join("") : JSON.stringify(content);
}

/** A model's name, or null where the field holds none. */
export function readModel(model: unknown): string | null {
  return typeof model === "string" && isModelName(model) && model !== "<synthetic>" ? model : null;
}

/**
 * Usage as Chat Completions state it. Cached tokens are part of `prompt_tokens`.
 * @param spoke whether the response held text or calls: 0 output tokens are then not known, not free (IMPORTS.md)
 */
export function readUsage(usage: unknown, spoke: boolean): ChatUsage {
  if (!isObject(usage)) return {};
  const input = count(usage.prompt_tokens);
  const output = count(usage.completion_tokens);
  const details = usage.prompt_tokens_details;
  const cached = isObject(details) ? count(details.cached_tokens) : null;
  return {
    ...(input === null ? {} : { input_tokens: input }),
    ...(cached === null ? {} : { cached_input_tokens: cached }),
    ...(output === null || (output === 0 && spoke) ? {} : { output_tokens: output }),
  };
}

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
