import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSplitter, type Piece, type SplitOptions } from "../../../collector/transcripts/json-pieces.ts";

function split(content: string | Uint8Array, options: SplitOptions = {}, size = 1e9): Piece[] {
  const bytes = Buffer.from(content);
  const splitter = createSplitter(options);
  const pieces: Piece[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(...splitter.push(bytes.subarray(at, at + size)));
  return [...pieces, ...splitter.end()];
}

const values = (pieces: readonly Piece[]) => pieces.flatMap((piece) => (piece.kind === "value" ? [piece.text] : []));
const broken = (pieces: readonly Piece[]) => pieces.flatMap((piece) => (piece.kind === "broken" ? [piece] : []));

describe("one pass over the bytes", () => {
  test("cuts a top-level array into its elements, whatever stands in strings", () => {
    const elements = ['{"a":"]},["}', '"x,\\"]"', "[1,[2]]", "3.5", "null", '{"b":"\\\\"}'];
    for (const joint of [",", " ,\n "]) {
      expect(values(split(`[${elements.join(joint)}]`))).toEqual(elements);
      expect(values(split(`\ufeff [ ${elements.join(joint)} ] `))).toEqual(elements);
    }
  });

  test("takes one document that is no array as one value, over however many lines", () => {
    const pretty = JSON.stringify({ messages: [{ role: "user", content: "a\nb" }] }, null, 2);
    expect(split(`\n\n${pretty}\n`)).toEqual([{ kind: "value", line: 3, document: 0, element: null, text: pretty }]);
  });

  test("reads JSON Lines from the first line that is a document of its own, each with its line number", () => {
    const pieces = split('{"a":1}\n\n{"b":2}\r\n[{"c":3}]\n');
    expect(values(pieces).map((text) => JSON.parse(text))).toEqual([{ a: 1 }, { b: 2 }, [{ c: 3 }]]);
    expect(pieces.map((piece) => piece.line)).toEqual([1, 3, 4]);
  });

  test("a broken line of JSON Lines costs that line only", () => {
    const pieces = split('{"a":1}\n{"b":[{"c":"\n{"d":4}\n{"e":5}', {});
    expect(values(pieces)).toEqual(['{"a":1}', '{"b":[{"c":"', '{"d":4}', '{"e":5}']);
    expect(values(split('{"b":[{"c":"\n{"d":4}', { lines: true }))).toEqual(['{"b":[{"c":"', '{"d":4}']);
  });

  test("a lost quote costs its element only", () => {
    expect(values(split('[\n{"a":"x\n},\n{"b":2}\n]')).at(-1)).toBe('{"b":2}');
  });

  test("says on which line a file was cut off, and keeps what stands before", () => {
    expect(split('[{"a":1},\n{"b":')).toMatchObject([{ text: '{"a":1}' }, { kind: "broken", line: 2 }]);
    expect(split('[{"a":1},\n{"b":2}\n')).toMatchObject([{}, {}, { kind: "broken", line: 3 }]);
    expect(split('{"messages":[')).toMatchObject([{ kind: "broken", line: 1 }]);
  });

  test("skips a value past the size limit without holding it, and goes on", () => {
    const pieces = split(`[{"a":"${"x".repeat(500)}"},{"b":2}]`, { maxBytes: 100 }, 7);
    expect(values(pieces)).toEqual(['{"b":2}']);
    expect(broken(pieces)[0]!.message).toContain("at most 100");
  });

  test("refuses nesting past the limit before it is parsed", () => {
    const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
    for (const file of [`[${deep},{"b":2}]`, `{"a":1}\n${deep}\n{"b":2}`]) {
      const pieces = split(file);
      expect(values(pieces).at(-1)).toBe('{"b":2}');
      expect(broken(pieces)[0]!.message).toContain("nested deeper");
    }
  });

  test("names the line whose bytes are no UTF-8, and reads the others", () => {
    const bytes = Buffer.concat([
      Buffer.from('{"a":1}\n{"b":"'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}\n{"c":3}'),
    ]);
    const pieces = split(bytes);
    expect(values(pieces)).toEqual(['{"a":1}', '{"c":3}']);
    expect(broken(pieces)).toMatchObject([{ line: 2, message: expect.stringContaining("UTF-8") }]);
  });
});

describe("properties", () => {
  const json = fc.jsonValue({ maxDepth: 4 });

  test("elements come out as they went in, in order", () => {
    fc.assert(
      fc.property(fc.array(json), fc.integer({ min: 0, max: 2 }), (elements, indent) => {
        const parsed = values(split(JSON.stringify(elements, null, indent))).map((text) => JSON.parse(text));
        expect(parsed).toEqual(JSON.parse(JSON.stringify(elements)));
      }),
    );
  });

  test("lines come out as they went in, in order", () => {
    fc.assert(
      fc.property(fc.array(json), (lines) => {
        const file = lines.map((line) => JSON.stringify(line)).join("\n");
        const parsed = values(split(file, { lines: true })).map((text) => JSON.parse(text));
        expect(parsed).toEqual(JSON.parse(JSON.stringify(lines)));
      }),
    );
  });

  test("how bytes are cut into pushes changes nothing, for any bytes", () => {
    const noise = fc.array(
      fc.constantFrom("{", "}", "[", "]", '"', "\\", ",", ":", "\n", " ", "a", "é", "1", '{"a":1}', '"\\""', "\ufeff"),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(noise, fc.integer({ min: 1, max: 9 }), fc.boolean(), (parts, size, lines) => {
        const content = parts.join("");
        expect(split(content, { lines }, size)).toEqual(split(content, { lines }));
      }),
      { numRuns: 500 },
    );
  });
});
