import { createHash } from "node:crypto";
import { guarded } from "../guard.ts";
import type { Risk } from "../semconv.ts";
import { canonicalArguments } from "../signature.ts";
import type { StandardSchema, ToolDefinition, ToolSet } from "../types.ts";
import { declaredArguments, isNode, type SchemaNode } from "../validation/declared.ts";
import { isStandardSchema, jsonSchemaOf } from "../validation/standard-schema.ts";

/** A declared tool, in one shape. */
export interface Tool {
  readonly name: string;
  readonly standard: StandardSchema | undefined;
  /** JSON Schema, or the JSON Schema form of the Standard Schema where it has one. */
  readonly schema: SchemaNode | undefined;
  readonly declared: ReadonlySet<string>;
  /** Other names are declared too, as keys of a map. */
  readonly isMap: boolean;
  readonly version: string;
  readonly source: string | undefined;
  readonly risk: Risk;
  readonly external: boolean | undefined;
  readonly strict: boolean | undefined;
}

/** The declared tools of one executor. Tools that are added to the record or list later are found too. */
export interface ToolIndex {
  find(name: string): Tool | undefined;
  names(): readonly string[];
}

/** @returns undefined where no tools are declared: then no name is unknown */
export function indexTools(tools: ToolSet | undefined): ToolIndex | undefined {
  if (typeof tools !== "object" || tools === null) return undefined;
  const read = new WeakMap<object, Tool>();
  const definitionOf = isList(tools) ? listLookup(tools) : recordLookup(tools);
  return {
    names: () => (isList(tools) ? tools.flatMap((tool) => nameOf(tool) ?? []) : Object.keys(tools)),
    find(name) {
      const definition = definitionOf(name);
      if (typeof definition !== "object" && typeof definition !== "function") return undefined;
      if (definition === null) return undefined;
      const known = read.get(definition);
      if (known?.name === name) return known;
      const tool = readTool(name, definition);
      read.set(definition, tool);
      return tool;
    },
  };
}

function isList(tools: ToolSet): tools is readonly ToolDefinition[] {
  return Array.isArray(tools);
}

function recordLookup(tools: Readonly<Record<string, ToolDefinition | StandardSchema>>) {
  return (name: string) => (Object.hasOwn(tools, name) ? tools[name] : undefined);
}

function listLookup(tools: readonly ToolDefinition[]) {
  let byName = new Map<string, ToolDefinition>();
  let indexed = -1;
  return (name: string) => {
    if (indexed !== tools.length) {
      byName = new Map(tools.flatMap((tool) => (nameOf(tool) === undefined ? [] : [[nameOf(tool)!, tool]])));
      indexed = tools.length;
    }
    return byName.get(name);
  };
}

function nameOf(tool: ToolDefinition): string | undefined {
  return tool?.function?.name ?? tool?.name;
}

function readTool(name: string, given: ToolDefinition | StandardSchema): Tool {
  const definition: ToolDefinition = isStandardSchema(given) ? { schema: given } : given;
  const inner = definition.function;
  const found =
    definition.schema ??
    definition.inputSchema ??
    definition.input_schema ??
    inner?.parameters ??
    definition.parameters;
  const standard = isStandardSchema(found) ? found : undefined;
  const schema = standard ? jsonSchemaOf(standard) : isNode(found) ? found : undefined;
  const { names, isMap } = guarded("declared", "a tool's schema cannot be walked", () => declaredArguments(schema), {
    names: new Set<string>(),
    isMap: false,
  });
  return {
    name,
    standard,
    schema,
    declared: names,
    isMap,
    version: definition.schemaVersion ?? definitionVersion(name, definition.description, schema),
    source: definition.source,
    risk: riskOf(definition),
    external: definition.external ?? definition.annotations?.openWorldHint,
    strict: inner?.strict ?? definition.strict ?? undefined,
  };
}

/** A tool that changes something nobody said can be taken back is irreversible: the careful reading. */
function riskOf({ mutates, reversible, annotations }: ToolDefinition): Risk {
  const changes = mutates ?? (annotations?.readOnlyHint === undefined ? undefined : !annotations.readOnlyHint);
  if (changes === undefined) return "unstated";
  if (!changes) return "read";
  return reversible === true ? "write_reversible" : "write_irreversible";
}

const DROPPED = new Set(["$schema", "$id", "title", "examples"]);
const SORTED = new Set(["required", "enum", "type"]);
/** Keywords whose members are named by the owner: a property called `title` is no annotation. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const LITERAL = new Set(["const", "default"]);

/** `d1-` and 12 hex digits of SHA-256 over name, description and schema (ATTRIBUTES.md). */
export function definitionVersion(name: string, description: unknown, schema: SchemaNode | undefined): string {
  const body = { name, description: description ?? null, schema: schema ? withoutAnnotations(schema) : null };
  return `d1-${createHash("sha256").update(canonicalArguments(body).text).digest("hex").slice(0, 12)}`;
}

function withoutAnnotations(node: unknown, seen: readonly object[] = []): unknown {
  if (typeof node !== "object" || node === null || seen.includes(node)) return node;
  const path = [...seen, node];
  if (Array.isArray(node)) return node.map((item) => withoutAnnotations(item, path));
  return Object.fromEntries(
    Object.entries(node).flatMap(([word, value]) => {
      if (DROPPED.has(word)) return [];
      if (SORTED.has(word) && Array.isArray(value)) return [[word, sortedByText(value)]];
      if (NAMED.has(word) && isNode(value)) {
        return [
          [word, Object.fromEntries(Object.entries(value).map(([key, at]) => [key, withoutAnnotations(at, path)]))],
        ];
      }
      return [[word, LITERAL.has(word) ? value : withoutAnnotations(value, path)]];
    }),
  );
}

function sortedByText(values: readonly unknown[]): unknown[] {
  const keyed = values.map((value) => ({ value, text: JSON.stringify(value) ?? "" }));
  return keyed.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)).map(({ value }) => value);
}
