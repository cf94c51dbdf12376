/** What the attributes of an `execute_tool` span are made of; each function gives those of one moment. */
import type { Attributes } from "@opentelemetry/api";
import { FINGERPRINT_VERSION, MOST_FINGERPRINTS } from "../fingerprint.ts";
import { isShowable, MOST_PATH_CHARACTERS, MOST_UNDECLARED } from "../grammar.ts";
import { guarded } from "../guard.ts";
import type { SigningKey } from "../hmac.ts";
import { idText, safeId, safeLabel, safeVersion } from "../safe-text.ts";
import * as semconv from "../semconv.ts";
import { argumentDigests, type CanonicalArguments, keyedDigest } from "../signature.ts";
import type { ToolCall } from "../types.ts";
import type { Validation } from "../validation/validate.ts";
import type { Failure } from "./classify.ts";
import { nearestName } from "./nearest-name.ts";
import type { Proposal } from "./place.ts";
import type { Tool, ToolIndex } from "./tools.ts";

const MOST_CONTENT_CHARACTERS = 32_768;

/** The name that may stand on a span: the declared one; an invented name is text of the model. */
export function shownName(requested: string, tool: Tool | undefined, toolsKnown: boolean): string {
  if (tool) return safeLabel(tool.name) ?? semconv.UNKNOWN_TOOL;
  return !toolsKnown && /^[\w.:/-]{1,128}$/.test(requested) ? requested : semconv.UNKNOWN_TOOL;
}

/** The call itself: ids, signature, digests. `id` is the one that may stand on a span. */
export function callAttributes(
  call: ToolCall,
  { id, signature }: Proposal,
  args: CanonicalArguments,
  tool: Tool | undefined,
  key: SigningKey,
): Attributes {
  const attributes: Attributes = {
    [semconv.ATTR_GEN_AI_TOOL_TYPE]: "function",
    [semconv.ATTR_SIGNING_KEY_ID]: key.id,
    [semconv.ATTR_CALL_SIGNATURE]: signature,
  };
  const digests = argumentDigests(key, args, (name) => tool?.declared.has(name) === true && isArgumentName(name));
  if (digests) attributes[semconv.ATTR_CALL_ARGUMENT_DIGESTS] = digests;
  if (args.parsed) attributes[semconv.ATTR_CALL_PARSED_SOURCE] = true;
  if (id !== undefined) attributes[semconv.ATTR_GEN_AI_TOOL_CALL_ID] = id;
  const repairOf = safeId(key, call.repairOf);
  if (repairOf !== undefined) {
    attributes[semconv.ATTR_CALL_REPAIR_OF] = repairOf;
    attributes[semconv.ATTR_LINK_SOURCE] = "harness";
  }
  const operationId = idText(call.operationId);
  if (operationId !== undefined)
    attributes[semconv.ATTR_CALL_OPERATION_ID] = keyedDigest(key, "operation", operationId);
  if (call.origin && semconv.ORIGINS.includes(call.origin)) attributes[semconv.ATTR_CALL_ORIGIN] = call.origin;
  return attributes;
}

function isArgumentName(name: string): boolean {
  return name.length <= MOST_PATH_CHARACTERS && isShowable(name);
}

/** The declared tool, or what is known of one that was not offered. */
export function toolAttributes(
  call: ToolCall,
  args: CanonicalArguments,
  tool: Tool | undefined,
  shown: string,
  index: ToolIndex | undefined,
  key: SigningKey,
): Attributes {
  const attributes: Attributes = { [semconv.ATTR_GEN_AI_TOOL_NAME]: shown };
  if (!tool) {
    if (shown !== semconv.UNKNOWN_TOOL) return attributes;
    attributes[semconv.ATTR_TOOL_REQUESTED] = keyedDigest(key, "tool", call.name);
    const nearest = safeLabel(nearestName(call.name, index?.names() ?? []));
    if (nearest !== undefined) attributes[semconv.ATTR_TOOL_NEAREST] = nearest;
    return attributes;
  }
  attributes[semconv.ATTR_TOOL_RISK] = tool.risk;
  const version = safeVersion(tool.version);
  const source = safeLabel(tool.source);
  if (version !== undefined) attributes[semconv.ATTR_TOOL_SCHEMA_VERSION] = version;
  if (source !== undefined) attributes[semconv.ATTR_TOOL_SOURCE] = source;
  if (typeof tool.external === "boolean") attributes[semconv.ATTR_TOOL_EXTERNAL] = tool.external;
  if (typeof tool.strict === "boolean") attributes[semconv.ATTR_TOOL_STRICT] = tool.strict;
  if (args.members && tool.schema && !tool.isMap) {
    let undeclared = 0;
    for (const name of args.members.keys()) if (!tool.declared.has(name)) undeclared++;
    attributes[semconv.ATTR_CALL_UNDECLARED_ARGUMENTS] = Math.min(undeclared, MOST_UNDECLARED);
  }
  return attributes;
}

/** How the call ended: verdict, class, fingerprints. `failure` is undefined for a result, and `lost` for none. */
export function endAttributes(validation: Validation, ended: Failure | undefined | "lost"): Attributes {
  const attributes: Attributes = { [semconv.ATTR_CALL_VALIDATED]: validation.opinion !== "unchecked" };
  if (validation.opinion !== "unchecked") attributes[semconv.ATTR_CALL_SCHEMA_VERDICT] = validation.opinion;
  if (ended === undefined || ended === "lost") {
    attributes[semconv.ATTR_CALL_VERDICT] = ended === "lost" ? "unknown" : "accepted";
    return attributes;
  }
  const [first] = ended.fingerprints;
  attributes[semconv.ATTR_CALL_VERDICT] = ended.verdict;
  attributes[semconv.ATTR_CALL_FAILURE_CLASS] = ended.failureClass;
  attributes[semconv.ATTR_ERROR_TYPE] =
    ended.category === "other" ? ended.failureClass : `${ended.failureClass}:${ended.category}`;
  if (first !== undefined) {
    attributes[semconv.ATTR_ERROR_FINGERPRINT] = first;
    attributes[semconv.ATTR_ERROR_FINGERPRINTS] = ended.fingerprints.slice(0, MOST_FINGERPRINTS);
    attributes[semconv.ATTR_ERROR_FINGERPRINT_VERSION] = FINGERPRINT_VERSION;
  }
  if (ended.retryability) attributes[semconv.ATTR_ERROR_RETRYABILITY] = ended.retryability;
  if (ended.rule) attributes[semconv.ATTR_ERROR_RULE] = ended.rule;
  return attributes;
}

/** Arguments or a result as text, for spans that may carry content. */
export function contentText(value: unknown): string | undefined {
  const write = () => (typeof value === "string" ? value : JSON.stringify(value));
  return guarded("content", "a value cannot be written as JSON, so it is not captured", write, undefined)?.slice(
    0,
    MOST_CONTENT_CHARACTERS,
  );
}
