import { createRequire } from "node:module";
import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";
import { canonicalArguments } from "../signature.ts";
import { type AjvReason, ajvReasons } from "./ajv-reasons.ts";
import { isNode, type SchemaNode } from "./declared.ts";

/** Checks arguments that are a JSON object; no reasons means accepted. */
export type SchemaCheck = (value: unknown) => readonly AjvReason[];

const MOST_COMPILED = 256;
/** Equal schemas in fresh objects (a tool list made anew for each request) compile once. Least recently used first. */
const compiled = new Map<string, SchemaCheck>();
const bySchema = new WeakMap<object, SchemaCheck>();

/**
 * Compiles a JSON Schema, once; all errors are collected. Throws where ajv refuses the schema.
 *
 * @param formats whether `format` is checked, or an annotation only
 */
export function compileJsonSchema(schema: SchemaNode, formats: boolean): SchemaCheck {
  // Two option values never share an identity cache: the second is rare, and pays the text lookup.
  const known = formats ? bySchema.get(schema) : undefined;
  if (known) return known;
  const text = `${formats}${canonicalArguments(schema).text}`;
  const check = compiled.get(text) ?? compile(schema, formats);
  compiled.delete(text);
  compiled.set(text, check);
  for (const oldest of compiled.keys()) {
    if (compiled.size <= MOST_COMPILED) break;
    compiled.delete(oldest);
  }
  if (formats) bySchema.set(schema, check);
  return check;
}

function compile(schema: SchemaNode, formats: boolean): SchemaCheck {
  const validate = firstThatCompiles(schema, formats);
  return (value) => {
    if (validate(value) === true) return [];
    const errors: ErrorObject[] = validate.errors ?? [];
    validate.errors = null;
    return ajvReasons(errors, value);
  };
}

/**
 * Draft 2020-12 first. What that refuses may be a draft-07 schema (a list under `items`), or have a pattern that is no
 * Unicode regular expression (`[\w\-]`), which many generators write.
 */
function firstThatCompiles(schema: SchemaNode, formats: boolean): ValidateFunction {
  const { $schema: _, ...body } = schema;
  let refusal: unknown;
  for (const [dialect, unicode] of [
    ["2020", true],
    ["2020", false],
    ["07", false],
  ] as const) {
    try {
      const ajv = newAjv(dialect, { unicodeRegExp: unicode, validateFormats: formats });
      const validate = ajv.compile(body);
      if (isNode(validate.schema) && (validate as { $async?: unknown }).$async === true) throw new TypeError("$async");
      return validate;
    } catch (error) {
      refusal ??= error;
    }
  }
  throw refusal;
}

/** Loaded when the first JSON Schema must be checked, and at once: an executor that is no promise cannot wait. */
const require = createRequire(import.meta.url);

function newAjv(dialect: "2020" | "07", options: Options): Ajv {
  const { default: AjvClass } = require(dialect === "2020" ? "ajv/dist/2020.js" : "ajv") as {
    default: new (options: Options) => Ajv;
  };
  const ajv = new AjvClass({ ...options, allErrors: true, strict: false, validateSchema: false, logger: false });
  if (options.validateFormats) {
    const { default: addFormats } = require("ajv-formats") as { default: (ajv: Ajv) => void };
    addFormats(ajv);
  }
  return ajv;
}
