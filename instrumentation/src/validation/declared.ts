/** Walks a declared JSON Schema along a path of actual arguments, to name what the owner declared and nothing else. */
import { ROOT_PATH } from "../fingerprint.ts";
import { isShowable, MOST_PATH_CHARACTERS } from "../grammar.ts";
import { UNDECLARED } from "../signature.ts";

/** One step of a path: a member's name, or an array index. */
export type PathKey = string | number;
/** A JSON Schema as an object; `true` and `false` declare nothing. */
export type SchemaNode = Readonly<Record<string, unknown>>;

/** A schema may refer to itself; no parameter needs this many of its alternatives at once. */
const MOST_NODES = 1_000;
const BRANCHES = ["allOf", "anyOf", "oneOf"];
const SINGLE_BRANCHES = ["if", "then", "else"];

export function isNode(value: unknown): value is SchemaNode {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** All schemas that say something about the same place: through `$ref`, combinations, conditions. */
export function alternatives(root: SchemaNode, node: unknown): SchemaNode[] {
  const found = new Set<SchemaNode>();
  const waiting: unknown[] = [node];
  while (waiting.length > 0 && found.size < MOST_NODES) {
    const next = waiting.pop();
    if (!isNode(next) || found.has(next)) continue;
    found.add(next);
    if (typeof next.$ref === "string") waiting.push(resolvePointer(root, next.$ref));
    for (const word of BRANCHES) if (Array.isArray(next[word])) waiting.push(...(next[word] as unknown[]));
    for (const word of SINGLE_BRANCHES) waiting.push(next[word]);
    if (isNode(next.dependentSchemas)) waiting.push(...Object.values(next.dependentSchemas));
  }
  return [...found];
}

function resolvePointer(root: SchemaNode, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  let at: unknown = root;
  for (const part of reference.slice(1).split("/").slice(1)) {
    const name = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** One step down: the name that may be shown, and the schemas that say something about the place. */
function step(root: SchemaNode, nodes: readonly SchemaNode[], key: PathKey): { shown: string; nodes: SchemaNode[] } {
  const down: unknown[] = [];
  if (typeof key === "number") {
    for (const node of nodes) {
      const tuple = node.prefixItems ?? (Array.isArray(node.items) ? node.items : undefined);
      if (Array.isArray(tuple) && key < tuple.length) down.push(tuple[key]);
      else if (!Array.isArray(node.items)) down.push(node.items);
    }
    return { shown: "[]", nodes: down.flatMap((node) => alternatives(root, node)) };
  }
  let declared = false;
  for (const { properties } of nodes) {
    if (isNode(properties) && Object.hasOwn(properties, key)) {
      declared = true;
      down.push(properties[key]);
    }
  }
  if (!declared) {
    for (const node of nodes) {
      down.push(node.additionalProperties);
      if (isNode(node.patternProperties)) down.push(...Object.values(node.patternProperties));
    }
  }
  return {
    shown: declared && isShowable(key) ? key : UNDECLARED,
    nodes: down.flatMap((node) => alternatives(root, node)),
  };
}

/**
 * A path as the schema names it: declared names stay, an index is `[]`, the root `$`; a map key, an undeclared name and
 * one that cannot be shown (empty, with control characters) is `*`. Joined with `.`, at most 128 characters.
 */
export function rewritePath(schema: SchemaNode | undefined, path: readonly PathKey[]): string {
  if (path.length === 0) return ROOT_PATH;
  const shown: string[] = [];
  let nodes = schema ? alternatives(schema, schema) : [];
  for (const key of path) {
    const next = step(schema ?? {}, nodes, key);
    shown.push(next.shown);
    nodes = next.nodes;
    if (shown.length > MOST_PATH_CHARACTERS) break;
  }
  return shown.join(".").slice(0, MOST_PATH_CHARACTERS).toWellFormed();
}

/** Every schema that says something about the place at a path. */
export function nodesAt(schema: SchemaNode, path: readonly PathKey[]): SchemaNode[] {
  return path.reduce((nodes, key) => step(schema, nodes, key).nodes, alternatives(schema, schema));
}

/** The declared top-level arguments, and whether other names are declared as keys of a map. */
export function declaredArguments(schema: SchemaNode | undefined): { names: ReadonlySet<string>; isMap: boolean } {
  const names = new Set<string>();
  let isMap = false;
  for (const node of schema ? alternatives(schema, schema) : []) {
    if (isNode(node.properties)) for (const name of Object.keys(node.properties)) names.add(name);
    if (isNode(node.patternProperties)) isMap = true;
    if (isNode(node.additionalProperties) && Object.keys(node.additionalProperties).length > 0) isMap = true;
  }
  return { names, isMap };
}

/** The value at a path of the raw arguments; `found` is false where a name or index on the way is absent. */
export function valueAt(value: unknown, path: readonly PathKey[]): { found: boolean; value: unknown } {
  let at = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return { found: false, value: undefined };
    at = (at as Record<PathKey, unknown>)[key];
  }
  return { found: at !== undefined, value: at };
}

/** Turns textual indexes into numbers where the actual value has an array. */
export function typedPath(value: unknown, path: readonly string[]): PathKey[] {
  let at = value;
  return path.map((key) => {
    const typed = Array.isArray(at) && /^\d+$/.test(key) ? Number(key) : key;
    at = typeof at === "object" && at !== null ? (at as Record<PathKey, unknown>)[typed] : undefined;
    return typed;
  });
}
