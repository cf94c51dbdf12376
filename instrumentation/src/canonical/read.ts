import { canonicalNumber } from "./number.ts";
import { closeObject, type Members, sortMembers } from "./object.ts";

/** The JSON value that a text holds, in canonical form; `members` where it is an object, sorted by name. */
export interface ReadValue {
  readonly text: string;
  readonly members: Members | undefined;
}

interface Container {
  /** Undefined for an array. */
  readonly members: Map<string, string> | undefined;
  /** Name that the next value of an object belongs to. */
  name: string;
  /** Elements of an array so far. A rope: one flat copy is made at the very end, so depth costs nothing. */
  text: string;
}

/**
 * Reads JSON text straight into its canonical form (SIGNATURES.md), with numbers exact, in one walk.
 *
 * The grammar is that of `JSON.parse`. The walk keeps its own stack: depth is bounded by memory, not by the call stack.
 *
 * @returns undefined where the text is no JSON
 */
export function readCanonical(raw: string): ReadValue | undefined {
  const reader = new Reader(raw);
  const stack: Container[] = [];
  let container: Container | undefined;

  for (;;) {
    // One value begins here.
    const code = reader.peek();
    let value: string | undefined;
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (container) stack.push(container);
      container = { members: code === OPEN_BRACE ? new Map() : undefined, name: "", text: "" };
      reader.at++;
      if (reader.peek() !== code + 2) {
        if (container.members && !reader.name(container)) return undefined;
        continue;
      }
    } else {
      value = reader.scalar(code);
      if (value === undefined) return undefined;
    }

    // Then come the places where values end: as many as close here.
    for (;;) {
      if (value !== undefined) {
        if (!container) return reader.atEnd() ? { text: value, members: undefined } : undefined;
        place(container, value);
      }
      if (!container) return undefined;
      const next = reader.peek();
      if (value !== undefined && next === COMMA) {
        reader.at++;
        if (container.members && !reader.name(container)) return undefined;
        break;
      }
      if (next !== (container.members ? CLOSE_BRACE : CLOSE_BRACKET)) return undefined;
      reader.at++;
      const members: Members | undefined = container.members && sortMembers(container.members);
      value = members ? closeObject(members) : `[${container.text}]`;
      container = stack.pop();
      if (!container) return reader.atEnd() ? { text: value, members } : undefined;
    }
  }
}

function place(container: Container, value: string): void {
  if (container.members) container.members.set(container.name, value);
  else container.text = container.text === "" ? value : `${container.text},${value}`;
}

const QUOTE = 34;
const PLUS = 43;
const COMMA = 44;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them inside strings
const CONTROL = /[\u0000-\u001f]/;

class Reader {
  readonly raw: string;
  at = 0;
  /** Place of the next backslash, so that strings without one are found by `indexOf` alone. */
  #backslash = -1;

  constructor(raw: string) {
    this.raw = raw;
  }

  /** Skips white space and shows the code unit there; NaN at the end. */
  peek(): number {
    for (;;) {
      const code = this.raw.charCodeAt(this.at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return code;
      this.at++;
    }
  }

  atEnd(): boolean {
    return Number.isNaN(this.peek());
  }

  /** Reads `"name":` into the container. */
  name(container: Container): boolean {
    if (this.peek() !== QUOTE) return false;
    const text = this.string();
    if (text === undefined) return false;
    container.name = text.includes("\\") ? (JSON.parse(text) as string) : text.slice(1, -1);
    if (this.peek() !== COLON) return false;
    this.at++;
    return true;
  }

  scalar(code: number): string | undefined {
    if (code === QUOTE) return this.string();
    if (code === MINUS || isDigit(code)) return this.number();
    for (const word of ["true", "false", "null"]) {
      if (this.raw.startsWith(word, this.at)) {
        this.at += word.length;
        return word;
      }
    }
    return undefined;
  }

  /** A string in canonical spelling, quotes included. */
  string(): string | undefined {
    const start = this.at;
    if (this.#backslash < start) {
      const found = this.raw.indexOf("\\", start);
      this.#backslash = found < 0 ? Number.POSITIVE_INFINITY : found;
    }
    const quote = this.raw.indexOf('"', start + 1);
    if (quote < 0) return undefined;
    const escaped = this.#backslash < quote;
    const end = escaped ? this.#closingQuote(this.#backslash) : quote;
    if (end < 0) return undefined;
    this.at = end + 1;
    const text = this.raw.slice(start, this.at);
    if (CONTROL.test(text)) return undefined;
    if (!escaped) return text.isWellFormed() ? text : text.toWellFormed();
    try {
      return JSON.stringify((JSON.parse(text) as string).toWellFormed());
    } catch {
      return undefined; // an escape that JSON does not have
    }
  }

  #closingQuote(from: number): number {
    for (let at = from; at < this.raw.length; at++) {
      const code = this.raw.charCodeAt(at);
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) return at;
    }
    return -1;
  }

  number(): string | undefined {
    const start = this.at;
    if (this.raw.charCodeAt(this.at) === MINUS) this.at++;
    if (this.raw.charCodeAt(this.at) === ZERO) this.at++;
    else if (!this.#digits()) return undefined;
    if (this.raw.charCodeAt(this.at) === POINT) {
      this.at++;
      if (!this.#digits()) return undefined;
    }
    if ((this.raw.charCodeAt(this.at) | 32) === 101) {
      this.at++;
      const sign = this.raw.charCodeAt(this.at);
      if (sign === PLUS || sign === MINUS) this.at++;
      if (!this.#digits()) return undefined;
    }
    return canonicalNumber(this.raw.slice(start, this.at));
  }

  #digits(): boolean {
    const start = this.at;
    while (isDigit(this.raw.charCodeAt(this.at))) this.at++;
    return this.at > start;
  }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
