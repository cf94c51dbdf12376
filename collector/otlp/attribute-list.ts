import { ATTRIBUTE_LIMITS, type AttributeValue } from "./span.ts";

/** Collects attributes within the limits. The first of a doubled name stays, as the specification wants names unique. */
export class AttributeList {
  readonly #values: Record<string, AttributeValue> = Object.create(null);
  #count = 0;

  add(name: string, value: AttributeValue | undefined): void {
    if (value === undefined || name === "" || name.length > ATTRIBUTE_LIMITS.name) return;
    if (this.#count >= ATTRIBUTE_LIMITS.count || name in this.#values) return;
    this.#values[name] = value;
    this.#count += 1;
  }

  get values(): Readonly<Record<string, AttributeValue>> {
    return this.#values;
  }
}

/** A text within the limit, else nothing: half a text would be another value. */
export function boundedText(text: string): string | undefined {
  return text.length <= ATTRIBUTE_LIMITS.text ? text : undefined;
}

/** An exact 64-bit integer as a number where a number holds it. */
export function exactInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
