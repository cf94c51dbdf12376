import type { Tool } from "../calls/tools.ts";
import { typedPath, valueAt } from "../validation/declared.ts";
import type { RejectionReason, Validation } from "../validation/validate.ts";
import { expectedAt } from "./expected.ts";
import { quoteReceived } from "./received.ts";
import { RETRY_SENTENCE } from "./tool-input-error.ts";

const MOST_REASONS = 5;
const MOST_NAMES = 20;

export interface Rejected {
  readonly validation: Extract<Validation, { opinion: "rejected" }>;
  readonly requested: string;
  readonly raw: unknown;
  readonly tool: Tool | undefined;
  readonly toolNames: readonly string[];
  readonly nearest: string | undefined;
}

/** The text that the model reads about a call that was not run: what is wrong, what is expected, an example. */
export function rejectionText(rejected: Rejected): string {
  const { failureClass, reasons } = rejected.validation;
  if (failureClass === "unknown_tool") return unknownToolText(rejected);
  if (failureClass === "malformed") return malformedText(rejected);
  const value = typeof rejected.raw === "string" ? JSON.parse(rejected.raw) : rejected.raw;
  const lines = reasons.slice(0, MOST_REASONS).map((reason) => reasonText(rejected.tool, reason, value));
  if (reasons.length > MOST_REASONS) lines.push(`${reasons.length - MOST_REASONS} more arguments are wrong.`);
  return [...lines, RETRY_SENTENCE.after_change].join(" ");
}

function unknownToolText({ requested, nearest, toolNames }: Rejected): string {
  const asked = quoteReceived(undefined, requested);
  const text = [`There is no tool ${asked ?? "of that name"}.`];
  if (nearest !== undefined) text.push(`Did you mean "${nearest}"?`);
  const names = toolNames.slice(0, MOST_NAMES).join(", ");
  if (names !== "") text.push(`Available: ${names}${toolNames.length > MOST_NAMES ? ", …" : ""}.`);
  text.push("A call to one of these can succeed.");
  return text.join(" ");
}

function malformedText({ validation, tool }: Rejected): string {
  const { example } = expectedAt(tool?.schema, []);
  const like = example === undefined ? "" : `, for example ${example}`;
  switch (validation.reasons[0]?.category) {
    case "truncated":
      return `The arguments were cut off before they were complete. Send the call again with shorter arguments, as one JSON object${like}. A shorter call can succeed.`;
    case "not_object":
      return `The arguments must be one JSON object${like}, not another kind of JSON value. ${RETRY_SENTENCE.after_change}`;
    default:
      return `The arguments are not valid JSON. Send one JSON object${like}. ${RETRY_SENTENCE.after_change}`;
  }
}

function reasonText(tool: Tool | undefined, reason: RejectionReason, value: unknown): string {
  const keys = typedPath(value, reason.keys.map(String));
  const name = keys.length === 0 ? undefined : keys.join(".");
  const shownName = name === undefined || name.length > 80 ? "The arguments" : `Argument "${name}"`;
  const { words, example } = expectedAt(tool?.schema, reason.keys);
  if (reason.category === "extra_property") return extraText(tool, shownName, reason, value);

  const received = valueAt(value, reason.keys);
  const expected = words === undefined ? "" : `expected ${words}`;
  const like = example === undefined || expected.includes(example) ? "" : `for example ${example}`;
  const shown = received.found ? quoteReceived(name, received.value) : undefined;
  const got = reason.category === "missing" || shown === undefined ? "" : `received ${shown}`;
  const head = reason.category === "missing" ? `${shownName} is missing` : `${shownName} is invalid`;
  const tail = [expected, like, got].filter((part) => part !== "").join(", ");
  return tail === "" ? `${head}.` : `${head}: ${tail}.`;
}

function extraText(tool: Tool | undefined, shownName: string, reason: RejectionReason, value: unknown): string {
  const parent = valueAt(value, reason.keys).value;
  const allowed = reason.keys.length === 0 ? [...(tool?.declared ?? [])] : [];
  const extra = Object.keys(typeof parent === "object" && parent !== null ? parent : {}).filter(
    (key) => !allowed.includes(key),
  );
  const quoted = allowed.length > 0 ? extra.slice(0, 3).flatMap((key) => quoteReceived(key, key) ?? []) : [];
  const named = quoted.length > 0 ? ` (${quoted.join(", ")})` : "";
  const list = allowed.length > 0 ? ` Allowed: ${allowed.slice(0, MOST_NAMES).join(", ")}.` : "";
  return `${shownName} ${reason.keys.length === 0 ? "have" : "has"} a member that is not declared${named}.${list}`;
}
