/** A bare integer of 16 digits or more, where a double may fall short. Inside a text it matches too, at no harm. */
const LONG_INTEGER = /[-[:,\s]\d{16,}(?![\d.eE])/;

/**
 * `JSON.parse` with bare integers beyond 2^53 kept exact, as `bigint`. (Exact times and ids may stand as bare numbers:
 * OTLP's JSON says strings, several emitters write numbers.) Reading the source text costs several times as much, so
 * it is done only where a long integer can be seen.
 *
 * @throws {SyntaxError} as `JSON.parse`; {RangeError} where the nesting is too deep.
 */
export function parseExactJson(text: string): unknown {
  if (!LONG_INTEGER.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_name, value: unknown, context?: { source?: string }) => {
    if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
    const source = context?.source;
    return source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
  });
}
