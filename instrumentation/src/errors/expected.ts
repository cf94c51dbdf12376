/** What a schema expects, in words and by example. */
import { alternatives, nodesAt, type PathKey, type SchemaNode } from "../validation/declared.ts";

const MOST_CHOICES = 12;
const MOST_EXAMPLE_CHARACTERS = 200;

const FORMAT_EXAMPLES: Readonly<Record<string, string>> = {
  date: "2026-01-15",
  "date-time": "2026-01-15T09:30:00Z",
  time: "09:30:00Z",
  duration: "PT1H30M",
  email: "ana@example.com",
  uri: "https://example.com/page",
  url: "https://example.com/page",
  uuid: "3f2b8c1e-5d4a-4e6f-9a7b-0c1d2e3f4a5b",
  ipv4: "192.0.2.10",
  hostname: "example.com",
};

export interface Expectation {
  /** `an integer from 1 to 10`; undefined where the schema says nothing. */
  readonly words: string | undefined;
  /** JSON text of a value that fits, where the schema gives or implies one. */
  readonly example: string | undefined;
}

/** What the schema expects at a path of the arguments. */
export function expectedAt(schema: SchemaNode | undefined, keys: readonly PathKey[]): Expectation {
  if (!schema) return { words: undefined, example: undefined };
  const nodes = nodesAt(schema, keys);
  return { words: wordsFor(nodes), example: exampleFor(schema, nodes) };
}

function first<T>(nodes: readonly SchemaNode[], read: (node: SchemaNode) => T | undefined): T | undefined {
  for (const node of nodes) {
    const found = read(node);
    if (found !== undefined) return found;
  }
  return undefined;
}

function wordsFor(nodes: readonly SchemaNode[]): string | undefined {
  const choices = first(nodes, (node) => (Array.isArray(node.enum) ? node.enum : undefined));
  if (choices && choices.length > 0) {
    const shown = choices.slice(0, MOST_CHOICES).map((choice) => JSON.stringify(choice));
    return `one of ${shown.join(", ")}${choices.length > shown.length ? ` and ${choices.length - shown.length} more` : ""}`;
  }
  const constant = first(nodes, (node) => (node.const === undefined ? undefined : JSON.stringify(node.const)));
  if (constant !== undefined) return constant;
  const types = [
    ...new Set(nodes.flatMap(({ type }) => (Array.isArray(type) ? type : type === undefined ? [] : [type]))),
  ];
  const format = first(nodes, (node) => (typeof node.format === "string" ? node.format : undefined));
  const words = [format === undefined ? withArticle(types.map(String)) : `a ${format} text`, bounds(nodes)];
  return words.filter((word) => word !== undefined).join(" ") || undefined;
}

function withArticle(types: readonly string[]): string | undefined {
  if (types.length === 0) return undefined;
  return types.map((type) => (type === "null" ? "null" : `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`)).join(" or ");
}

function bounds(nodes: readonly SchemaNode[]): string | undefined {
  const number = (word: string) =>
    first(nodes, (node) => (typeof node[word] === "number" ? (node[word] as number) : undefined));
  const parts: string[] = [];
  const say = (words: string, bound: number | undefined) =>
    bound !== undefined && parts.push(words.replace("#", String(bound)));
  say("at least #", number("minimum"));
  say("greater than #", number("exclusiveMinimum"));
  say("at most #", number("maximum"));
  say("less than #", number("exclusiveMaximum"));
  say("a multiple of #", number("multipleOf"));
  say("with at least # characters", number("minLength"));
  say("with at most # characters", number("maxLength"));
  say("with at least # items", number("minItems"));
  say("with at most # items", number("maxItems"));
  return parts.length > 0 ? parts.join(" and ") : undefined;
}

function exampleFor(schema: SchemaNode, nodes: readonly SchemaNode[], depth = 0): string | undefined {
  const stated = first(nodes, (node) =>
    Array.isArray(node.examples) ? node.examples[0] : (node.example ?? node.default),
  );
  if (stated !== undefined) return short(JSON.stringify(stated));
  const choice = first(nodes, (node) => (Array.isArray(node.enum) ? node.enum[0] : node.const));
  if (choice !== undefined) return short(JSON.stringify(choice));
  const format = first(nodes, (node) => (typeof node.format === "string" ? FORMAT_EXAMPLES[node.format] : undefined));
  if (format !== undefined) return JSON.stringify(format);
  return depth < 4 ? objectExample(schema, nodes, depth) : undefined;
}

/** An object of all required members, where each of them has an example. */
function objectExample(schema: SchemaNode, nodes: readonly SchemaNode[], depth: number): string | undefined {
  const object = nodes.find((node) => Array.isArray(node.required) && node.required.length > 0);
  const properties = object?.properties as Record<string, unknown> | undefined;
  if (!object || !properties) return undefined;
  const members: string[] = [];
  for (const name of object.required as string[]) {
    if (!Object.hasOwn(properties, name)) return undefined;
    const example = exampleFor(schema, alternatives(schema, properties[name]), depth + 1);
    if (example === undefined) return undefined;
    members.push(`${JSON.stringify(name)}:${example}`);
  }
  return short(`{${members.join(",")}}`);
}

function short(text: string | undefined): string | undefined {
  return text !== undefined && text.length <= MOST_EXAMPLE_CHARACTERS ? text : undefined;
}
