/**
 * What an attribute may hold. A reader gives the value, or `undefined` where what came is none; `wanted` completes the
 * sentence "send …".
 *
 * Texts that are stored must be identifiers that somebody declared: bounded, of one line, without control characters.
 * Where they name something inside the system (ids, versions, rules), white space is refused too: a sentence is content.
 */
import { isIdentifier, isLabel, MOST_DURATION_MS } from "@mulligan/instrumentation/internal/grammar";
import type { AttributeValue } from "../otlp/span.ts";

export interface AttributeReader<T> {
  readonly wanted: string;
  read(value: AttributeValue): T | undefined;
}

export function integer(min: number, max: number, example: number): AttributeReader<number> {
  return {
    wanted: `an integer from ${min} to ${max}, for example ${example}`,
    read: (value) =>
      typeof value === "number" && Number.isInteger(value) && value >= min && value <= max ? value : undefined,
  };
}

/** Milliseconds; up to 30 days. */
export const milliseconds: AttributeReader<number> = {
  wanted: `milliseconds from 0 to ${MOST_DURATION_MS}, for example 1140`,
  read: (value) => (typeof value === "number" && value >= 0 && value <= MOST_DURATION_MS ? value : undefined),
};

/** Counts of tokens and bytes: any integer that a double holds exactly. */
export const count: AttributeReader<number> = {
  wanted: "an integer from 0, for example 350",
  read: (value) => (typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined),
};

export const boolean: AttributeReader<boolean> = {
  wanted: "true or false",
  read: (value) => (typeof value === "boolean" ? value : undefined),
};

export function oneOf<const T extends string>(...values: readonly T[]): AttributeReader<T> {
  return {
    wanted: `one of ${values.join(", ")}`,
    read: (value) => values.find((allowed) => allowed === value),
  };
}

/** Lowercase hex of exactly so many digits: a keyed digest. */
export function hex(digits: number): AttributeReader<string> {
  const pattern = new RegExp(`^[0-9a-f]{${digits}}$`);
  return matching(pattern, `${digits} lowercase hex digits`);
}

export function matching(pattern: RegExp, wanted: string): AttributeReader<string> {
  return { wanted, read: (value) => (typeof value === "string" && pattern.test(value) ? value : undefined) };
}

/** A name that a person gave: one line, at most so many characters. */
export function label(max: number): AttributeReader<string> {
  return {
    wanted: `a name of 1 to ${max} characters on one line`,
    read: (value) => (typeof value === "string" && isLabel(value, max) ? value : undefined),
  };
}

/** An identifier: as a label, and without white space. */
export function identifier(max: number): AttributeReader<string> {
  return {
    wanted: `an identifier of 1 to ${max} characters without white space`,
    read: (value) => (typeof value === "string" && isIdentifier(value, max) ? value : undefined),
  };
}

export function listOf<T>(max: number, element: AttributeReader<T>): AttributeReader<readonly T[]> {
  return {
    wanted: `a list of at most ${max}, each ${element.wanted}`,
    read: (value) => {
      if (!Array.isArray(value) || value.length > max) return undefined;
      const elements = value.map((part) => element.read(part));
      return elements.every((part) => part !== undefined) ? elements : undefined;
    },
  };
}

/** The part of a value that may be repeated to its sender: a number or a truth value; of a text, only its length. */
export function safePart(value: AttributeValue): string {
  switch (typeof value) {
    case "number":
    case "bigint":
    case "boolean":
      return String(value).slice(0, 32);
    case "string":
      return `a string of ${value.length} characters`;
    default:
      return `a list of ${value.length}`;
  }
}
