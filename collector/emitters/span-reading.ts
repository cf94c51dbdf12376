import type { Attributes } from "../otlp/span.ts";
import { type AttributeReader, safePart } from "./attribute-readers.ts";

/** What is wrong with a span. `kind` groups spans with the same fault; the message is that of the first. */
export interface Complaint {
  readonly kind: string;
  readonly message: string;
}

/**
 * One attribute and the field it goes to. A bad value of a `placing` one refuses the span: without it the call would
 * be counted in another place, or as another thing. A bad value of any other is left out, and said.
 */
export interface Field<R> {
  readonly attribute: string;
  readonly placing: boolean;
  apply(value: Attributes[string], record: R): boolean;
  readonly wanted: string;
}

export function field<R, K extends keyof R>(
  attribute: string,
  key: K,
  reader: AttributeReader<NonNullable<R[K]>>,
): Field<R> {
  return {
    attribute,
    placing: false,
    wanted: reader.wanted,
    apply: (value, record) => {
      const read = reader.read(value);
      if (read !== undefined) record[key] = read;
      return read !== undefined;
    },
  };
}

export function placing<R, K extends keyof R>(
  attribute: string,
  key: K,
  reader: AttributeReader<NonNullable<R[K]>>,
): Field<R> {
  return { ...field(attribute, key, reader), placing: true };
}

/** Reads one span's attributes into its record, and keeps what is wrong with them. */
export class SpanReading {
  readonly warnings: Complaint[] = [];
  refusal: Complaint | null = null;
  readonly #attributes: Attributes;

  constructor(attributes: Attributes) {
    this.#attributes = attributes;
  }

  fill<R>(record: R, fields: readonly Field<R>[]): void {
    for (const each of fields) {
      const value = this.#attributes[each.attribute];
      if (value !== undefined && !each.apply(value, record)) this.complain(each, value);
    }
  }

  complain(about: { attribute: string; placing: boolean; wanted: string }, value: Attributes[string]): void {
    const consequence = about.placing ? "" : "; the attribute was left out";
    const complaint = {
      kind: `${about.attribute}${consequence}`,
      message: `${about.attribute}: got ${safePart(value)}; send ${about.wanted}${consequence}`,
    };
    if (about.placing) this.refusal ??= complaint;
    else this.warnings.push(complaint);
  }
}
