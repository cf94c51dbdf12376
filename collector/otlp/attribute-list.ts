import { ATTRIBUTE_LIMITS, type AttributeValue, type UnreadableAttribute } from "./span.ts";

/** A value that came and is not read: too large, or of another kind. */
export class Unreadable {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }

  static readonly text = new Unreadable(`a text of more than ${ATTRIBUTE_LIMITS.text} characters`);
  static readonly elements = new Unreadable(`a list of more than ${ATTRIBUTE_LIMITS.elements} elements`);
  static readonly depth = new Unreadable(`lists nested more than ${ATTRIBUTE_LIMITS.depth} deep`);
  static readonly emptyElement = new Unreadable("a list with an element that is nothing");
  static readonly bytes = new Unreadable("bytes");
  static readonly map = new Unreadable("a map");
  static readonly count = new Unreadable(`it behind ${ATTRIBUTE_LIMITS.count} other attributes`);
}

/** An empty value is as good as none (opentelemetry-proto, `AnyValue`). */
export type ReadValue = AttributeValue | Unreadable | undefined;

/** Names that the contract has, or may have: foreign ones must not push them out. */
const CONTRACT = /^(mulligan\.|gen_ai\.|feature_flag\.|error\.type$|service\.|deployment\.environment\.)/;

/**
 * Collects attributes within the limits, and keeps what could not be read of the contract's. The first of a doubled
 * name stays, as the specification wants names unique.
 */
export class AttributeList {
  readonly #values: Record<string, AttributeValue> = Object.create(null);
  #unreadable: Map<string, string> | null = null;
  readonly #count = { contract: 0, foreign: 0 };

  add(name: string, value: ReadValue): void {
    if (value === undefined || name === "" || name.length > ATTRIBUTE_LIMITS.name) return;
    if (name in this.#values || this.#unreadable?.has(name)) return;
    const origin = CONTRACT.test(name) ? "contract" : "foreign";
    const read = this.#count[origin] < ATTRIBUTE_LIMITS.count ? value : Unreadable.count;
    if (!(read instanceof Unreadable)) {
      this.#values[name] = read;
      this.#count[origin] += 1;
    } else if (origin === "contract") {
      this.#unreadable ??= new Map();
      this.#unreadable.set(name, read.why);
    }
  }

  get values(): Readonly<Record<string, AttributeValue>> {
    return this.#values;
  }

  get unreadable(): readonly UnreadableAttribute[] {
    return this.#unreadable === null ? [] : Array.from(this.#unreadable, ([name, why]) => ({ name, why }));
  }
}

/** A text within the limit: half a text would be another value. */
export function boundedText(text: string): string | Unreadable {
  return text.length <= ATTRIBUTE_LIMITS.text ? text : Unreadable.text;
}

/** A list of elements that were all read. */
export function readList(elements: readonly ReadValue[]): AttributeValue | Unreadable {
  const list: AttributeValue[] = [];
  for (const element of elements) {
    if (element === undefined) return Unreadable.emptyElement;
    if (element instanceof Unreadable) return element;
    list.push(element);
  }
  return list;
}

/** An exact 64-bit integer as a number where a number holds it. */
export function exactInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
