import { canonicalNumber } from "./number.ts";
import { closeObject, type Members, sortMembers } from "./object.ts";
import type { ReadValue } from "./read.ts";

/** Stands where a value contains itself: JSON has no word for it, and a signature must exist all the same. */
const CYCLE = '"[cycle]"';
/** A `toJSON` may invent values without end; nobody's arguments have this many. */
const MOST_VALUES = 1_000_000;

interface Container {
  readonly source: object;
  readonly names: readonly string[] | undefined;
  readonly length: number;
  readonly members: Map<string, string> | undefined;
  next: number;
  text: string;
}

/**
 * Canonical form (SIGNATURES.md) of a value that is already parsed, with `JSON.stringify`'s reading of what JSON lacks:
 * `toJSON` is asked, `undefined`, functions and symbols are left out (null in arrays), non-finite numbers are null.
 * A bigint is its exact integer, a value inside itself is `"[cycle]"`, a getter that throws is left out.
 *
 * Never throws and never overflows the stack; a value shared many times is written once.
 *
 * @returns undefined where the value has no JSON form at all
 */
export function writeCanonical(value: unknown): ReadValue | undefined {
  try {
    return write(value);
  } catch {
    return undefined; // larger than any string can be, or a proxy that refuses
  }
}

function write(root: unknown): ReadValue | undefined {
  const first = simplify(root, "");
  if (first === undefined) return undefined;
  if (typeof first === "string") return { text: first, members: undefined };

  const known = new Map<object, string>();
  const open = new Set<object>();
  const stack: Container[] = [];
  let container = enter(first, open);
  let count = 0;

  for (;;) {
    if (container.next === container.length) {
      const members: Members | undefined = container.members && sortMembers(container.members);
      const text = members ? closeObject(members) : `[${container.text}]`;
      known.set(container.source, text);
      open.delete(container.source);
      const outer = stack.pop();
      if (!outer) return { text, members };
      container = outer;
      place(container, text);
      continue;
    }
    if (++count > MOST_VALUES) return undefined;
    const simple = simplify(read(container), nameOf(container));
    if (typeof simple !== "object") place(container, simple);
    else if (open.has(simple)) place(container, CYCLE);
    else if (known.has(simple)) place(container, known.get(simple));
    else {
      stack.push(container);
      container = enter(simple, open);
    }
  }
}

function enter(source: object, open: Set<object>): Container {
  open.add(source);
  const names = Array.isArray(source) ? undefined : Object.keys(source);
  const length = names ? names.length : (source as unknown[]).length;
  return { source, names, length, members: names && new Map(), next: 0, text: "" };
}

function nameOf(container: Container): string {
  return container.names ? container.names[container.next]! : String(container.next);
}

function read(container: Container): unknown {
  try {
    return (container.source as Record<string, unknown>)[nameOf(container)];
  } catch {
    return undefined;
  }
}

function place(container: Container, value: string | undefined): void {
  const at = container.next++;
  if (container.names) {
    if (value !== undefined) container.members!.set(container.names[at]!.toWellFormed(), value);
  } else {
    container.text += at === 0 ? (value ?? "null") : `,${value ?? "null"}`;
  }
}

/** Canonical text of what holds nothing else, the object to walk, or undefined for what JSON leaves out. */
function simplify(value: unknown, name: string): string | object | undefined {
  const plain = unbox(askForJson(value, name));
  switch (typeof plain) {
    case "string":
      return JSON.stringify(plain.toWellFormed());
    case "number":
      return Number.isFinite(plain) ? canonicalNumber(String(plain)) : "null";
    case "bigint":
      return canonicalNumber(String(plain));
    case "boolean":
      return plain ? "true" : "false";
    case "object":
      return plain ?? "null";
    default:
      return undefined;
  }
}

function askForJson(value: unknown, name: string): unknown {
  if (value === null || typeof value !== "object") return value;
  try {
    const { toJSON } = value as { toJSON?: unknown };
    return typeof toJSON === "function" ? toJSON.call(value, name) : value;
  } catch {
    return null;
  }
}

function unbox(value: unknown): unknown {
  const boxed =
    value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt;
  return boxed ? value.valueOf() : value;
}
