import type { Tool } from "../calls/tools.ts";
import { type Category, type Reason, ROOT_PATH, rankReasons } from "../fingerprint.ts";
import { guarded, reportOnce } from "../guard.ts";
import type { CanonicalArguments } from "../signature.ts";
import type { StandardResult } from "../types.ts";
import type { AjvReason } from "./ajv-reasons.ts";
import { type PathKey, rewritePath } from "./declared.ts";
import { compileJsonSchema } from "./json-schema.ts";
import { hasOwnCodes, standardReasons } from "./standard-schema.ts";

/** A reason with the actual path, for the text that goes to the model; only `path` and `category` go further. */
export interface RejectionReason extends Reason {
  readonly keys: readonly PathKey[];
}

/** What the declared schema thinks of a call's arguments. */
export type Validation =
  | { readonly opinion: "accepted" }
  | { readonly opinion: "unchecked" }
  | {
      readonly opinion: "rejected";
      readonly failureClass: "malformed" | "unknown_tool" | "schema";
      /** Most important first, one a path. */
      readonly reasons: readonly RejectionReason[];
    };

export interface ValidationInput {
  readonly args: CanonicalArguments;
  /** The arguments as they came: text, or a parsed value. */
  readonly raw: unknown;
  /** Undefined for a tool that is not among the declared ones. */
  readonly tool: Tool | undefined;
  /** Whether tools are declared at all. */
  readonly toolsKnown: boolean;
  /** The model's finish reason says that it was cut off. */
  readonly cutOff: boolean;
  readonly formats: boolean;
}

const UNCHECKED: Validation = { opinion: "unchecked" };
const ACCEPTED: Validation = { opinion: "accepted" };

/**
 * Text → JSON object → declared tool → schema. A promise only where the schema's own validation is one. Never throws; a
 * schema that cannot be used leaves the call unchecked, told once.
 */
export function validate(input: ValidationInput): Validation | Promise<Validation> {
  const { args, tool } = input;
  if (args.form !== "object") {
    const category = args.form === "value" ? "not_object" : input.cutOff ? "truncated" : "malformed_json";
    return refused("malformed", category);
  }
  if (input.toolsKnown && !tool) return refused("unknown_tool", "unknown_tool");
  if (!tool || (!tool.standard && !tool.schema)) return UNCHECKED;
  const area = `schema:${tool.name}`;
  const message = "a tool's schema cannot be used, so its calls are not checked";
  return guarded(area, message, () => checkSchema(tool, parsedValue(input), input.formats), UNCHECKED);
}

function refused(failureClass: "malformed" | "unknown_tool", category: Category): Validation {
  return { opinion: "rejected", failureClass, reasons: [{ path: ROOT_PATH, category, keys: [] }] };
}

function parsedValue({ raw }: ValidationInput): unknown {
  return typeof raw === "string" ? JSON.parse(raw) : raw === undefined ? {} : raw;
}

function checkSchema(tool: Tool, value: unknown, formats: boolean): Validation | Promise<Validation> {
  if (!tool.standard) return conclude(tool, compileJsonSchema(tool.schema!, formats)(value));
  const result = tool.standard["~standard"].validate(value);
  if (!(result instanceof Promise)) return readStandard(tool, result, value, formats);
  return result.then(
    (settled) => readStandard(tool, settled, value, formats),
    (error) => {
      reportOnce(`schema:${tool.name}`, "a tool's schema failed while it checked a call", error);
      return UNCHECKED;
    },
  );
}

function readStandard(tool: Tool, result: StandardResult, value: unknown, formats: boolean): Validation {
  if (!result.issues) return ACCEPTED;
  const standard = tool.standard!;
  const own = () => standardReasons(standard["~standard"].vendor, result.issues!, value);
  if (hasOwnCodes(standard) || !tool.schema) return conclude(tool, own(), true);
  const again = guarded(
    "revalidate",
    "a schema's JSON Schema form cannot be used",
    () => compileJsonSchema(tool.schema!, formats)(value),
    [],
  );
  return conclude(tool, again.length > 0 ? again : own(), true);
}

function conclude(tool: Tool, reasons: readonly AjvReason[], isRefused = reasons.length > 0): Validation {
  if (!isRefused) return ACCEPTED;
  const named = reasons.map((reason) => ({ ...reason, path: rewritePath(tool.schema, reason.keys) }));
  const ranked = rankReasons<RejectionReason>(named);
  const other: RejectionReason = { path: ROOT_PATH, category: "other", keys: [] };
  return { opinion: "rejected", failureClass: "schema", reasons: ranked.length > 0 ? ranked : [other] };
}
