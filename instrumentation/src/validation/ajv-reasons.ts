import type { ErrorObject } from "ajv";
import type { Category } from "../fingerprint.ts";
import { type PathKey, typedPath } from "./declared.ts";

/** A reason with the actual path in the arguments; only its rewritten form may leave the process. */
export interface AjvReason {
  readonly keys: readonly PathKey[];
  readonly category: Category;
}

const DATE_FORMATS = /^(date|date-time|time|duration|iso-.*)$/;

const CATEGORY_OF: Readonly<Record<string, Category>> = {
  required: "missing",
  type: "type",
  enum: "enum",
  const: "enum",
  discriminator: "enum",
  pattern: "pattern",
  minimum: "range",
  maximum: "range",
  exclusiveMinimum: "range",
  exclusiveMaximum: "range",
  formatMinimum: "range",
  formatMaximum: "range",
  formatExclusiveMinimum: "range",
  formatExclusiveMaximum: "range",
  multipleOf: "multiple_of",
  minLength: "length",
  maxLength: "length",
  minItems: "length",
  maxItems: "length",
  minProperties: "length",
  maxProperties: "length",
  items: "length",
  additionalItems: "length",
  unevaluatedItems: "length",
  anyOf: "union",
  oneOf: "union",
  propertyNames: "key",
  additionalProperties: "extra_property",
  unevaluatedProperties: "extra_property",
  uniqueItems: "duplicate",
  dependentRequired: "conditional",
  dependencies: "conditional",
  if: "conditional",
  not: "forbidden",
  "false schema": "forbidden",
};

/** Reads ajv's errors (allErrors, not verbose) by keyword, never by message: messages and params carry values. */
export function ajvReasons(errors: readonly ErrorObject[], value: unknown): AjvReason[] {
  return foldUnions(errors).map((error) => {
    const path = typedPath(value, pointerParts(error.instancePath));
    if (error.keyword === "required") {
      return { keys: [...path, String(error.params.missingProperty)], category: "missing" };
    }
    // Inside `propertyNames` the fault is the key itself, whatever rule it broke.
    const key = error.keyword === "propertyNames" ? error.params.propertyName : error.propertyName;
    if (typeof key === "string") return { keys: [...path, key], category: "key" };
    return { keys: path, category: categoryOf(error) };
  });
}

function categoryOf(error: ErrorObject): Category {
  if (error.keyword === "format") return DATE_FORMATS.test(String(error.params.format)) ? "date_format" : "format";
  return CATEGORY_OF[error.keyword] ?? "other";
}

function pointerParts(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/**
 * Drops what the branches of a failed `anyOf` or `oneOf` said: the model is told that no branch fits. ajv writes the
 * branches' errors just before the union's own; those of sibling keywords lie elsewhere below the union's parent.
 */
function foldUnions(errors: readonly ErrorObject[]): ErrorObject[] {
  const kept: ErrorObject[] = [];
  for (let at = errors.length - 1; at >= 0; at--) {
    const error = errors[at]!;
    kept.push(error);
    if (error.keyword !== "anyOf" && error.keyword !== "oneOf") continue;
    while (at > 0 && isBranchError(errors[at - 1]!, error)) at--;
  }
  return kept.reverse();
}

function isBranchError(error: ErrorObject, union: ErrorObject): boolean {
  const below = error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`);
  if (!below) return false;
  const parent = union.schemaPath.slice(0, union.schemaPath.lastIndexOf("/") + 1);
  return error.schemaPath.startsWith(`${union.schemaPath}/`) || !error.schemaPath.startsWith(parent);
}
