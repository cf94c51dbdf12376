import type { Category } from "../fingerprint.ts";
import { guarded } from "../guard.ts";
import type { StandardIssue, StandardSchema } from "../types.ts";
import type { AjvReason } from "./ajv-reasons.ts";
import { isNode, type PathKey, type SchemaNode, valueAt } from "./declared.ts";

export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  const standard = (value as Partial<StandardSchema>)["~standard"];
  return typeof standard === "object" && standard !== null && typeof standard.validate === "function";
}

/** The JSON Schema form that a vendor offers (Standard JSON Schema), for paths, versions and texts. */
export function jsonSchemaOf(schema: StandardSchema): SchemaNode | undefined {
  const convert = schema["~standard"].jsonSchema?.input;
  if (typeof convert !== "function") return undefined;
  // zod refuses dates and transforms unless told to leave them open.
  const options = { target: "draft-2020-12" as const, libraryOptions: { unrepresentable: "any" } };
  const converted = guarded("json-schema-form", "a schema has no JSON Schema form", () => convert(options), undefined);
  return isNode(converted) ? converted : undefined;
}

/** Vendors whose issues we can read by their own codes. Others are re-validated through their JSON Schema form. */
const CATEGORY_BY_VENDOR: Readonly<Record<string, (issue: StandardIssue) => Category>> = { zod: zodCategory };

export function hasOwnCodes(schema: StandardSchema): boolean {
  return Object.hasOwn(CATEGORY_BY_VENDOR, schema["~standard"].vendor);
}

/** Reads a Standard Schema's issues. *Missing* is decided by the raw arguments: vendors report it as a wrong value. */
export function standardReasons(vendor: string, issues: readonly StandardIssue[], value: unknown): AjvReason[] {
  const categoryOf = CATEGORY_BY_VENDOR[vendor] ?? (() => "other" as const);
  return issues.map((issue) => {
    const keys = pathOf(issue);
    const category = categoryOf(issue);
    const absent = category !== "key" && keys.length > 0 && !valueAt(value, keys).found;
    const parent = keys.slice(0, -1);
    return { keys, category: absent && valueAt(value, parent).found ? "missing" : category };
  });
}

function pathOf(issue: StandardIssue): PathKey[] {
  return (issue.path ?? []).map((part) => {
    const key = typeof part === "object" && part !== null ? part.key : part;
    return typeof key === "number" ? key : String(key);
  });
}

/** zod 4's issue codes. */
function zodCategory(issue: StandardIssue): Category {
  const { code, origin, format, discriminator } = issue as unknown as Record<string, unknown>;
  switch (code) {
    case "invalid_type":
    case "invalid_element":
      return "type";
    case "invalid_value":
      return "enum";
    case "invalid_format":
      if (["date", "datetime", "time", "duration"].includes(String(format))) return "date_format";
      if (["regex", "starts_with", "ends_with", "includes", "lowercase", "uppercase"].includes(String(format)))
        return "pattern";
      return "format";
    case "too_small":
    case "too_big":
      return ["string", "array", "set", "map", "file"].includes(String(origin)) ? "length" : "range";
    case "not_multiple_of":
      return "multiple_of";
    case "unrecognized_keys":
      return "extra_property";
    case "invalid_union":
      return discriminator === undefined ? "union" : "enum";
    case "invalid_key":
      return "key";
    case "custom":
      return "custom";
    default:
      return "other";
  }
}
