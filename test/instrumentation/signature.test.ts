import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import {
  argumentDigests,
  canonicalArguments,
  keyedDigest,
  SigningKey,
  signature,
} from "@mulligan/instrumentation/internal/signature";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

interface Vector {
  note: string;
  tool: string;
  arguments: string;
  is_object: boolean;
  canonical: string;
  signature: string;
  argument_digests?: Record<string, string>;
}

const file = new URL("../vectors/signature-vectors.json", import.meta.url);
const {
  key: keyText,
  key_id,
  vectors,
} = JSON.parse(readFileSync(file, "utf8")) as {
  key: string;
  key_id: string;
  vectors: Vector[];
};
const key = new SigningKey(keyText);
const sign = (tool: string, args: unknown) => signature(key, tool, canonicalArguments(args));

test("the key id is that of the vectors, of which there are 27", () => {
  expect(key.id).toBe(key_id);
  expect(vectors).toHaveLength(27);
});

test.each(vectors)("vector: $note ($arguments)", (vector) => {
  const args = canonicalArguments(vector.arguments);
  expect(args.text).toBe(vector.canonical);
  expect(args.form === "object").toBe(vector.is_object);
  expect(signature(key, vector.tool, args)).toBe(vector.signature);
  const digests = argumentDigests(key, args, () => true);
  const expected = vector.argument_digests;
  expect(digests && Object.fromEntries(digests.map((digest) => digest.split("=")))).toEqual(expected);
});

/** Any JSON value with its numbers as literals, so that spelling and value can be varied apart. */
const json = fc.jsonValue({ maxDepth: 4 });
const jsonObject = fc.dictionary(fc.string(), json);

/** Another text of the same value: other key order, white space, escapes and number spellings. */
function respell(value: unknown, random: () => number): string {
  const space = () => ["", " ", "\n", "\t "][Math.floor(random() * 4)];
  if (typeof value === "string") {
    const spell = (character: string) =>
      random() < 0.3
        ? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
        : JSON.stringify(character).slice(1, -1);
    return `"${value.split("").map(spell).join("")}"`;
  }
  if (typeof value === "number") {
    const text = JSON.stringify(value);
    if (/e/.test(text)) return text.replace("e", "E");
    return random() < 0.5 ? `${text}e0` : text.includes(".") ? `${text}00` : `${text}.0`;
  }
  if (Array.isArray(value)) return `[${space()}${value.map((item) => respell(item, random)).join(`,${space()}`)}]`;
  if (value !== null && typeof value === "object") {
    const members = Object.entries(value).map(
      ([name, member]) => `${respell(name, random)}${space()}:${space()}${respell(member, random)}`,
    );
    if (random() < 0.5) members.reverse();
    return `{${members.join(`${space()},`)}${space()}}`;
  }
  return JSON.stringify(value);
}

describe("equal as JSON values exactly when signatures are equal", () => {
  test("another spelling of the same value has the same signature", () => {
    fc.assert(
      fc.property(
        jsonObject,
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })),
        (value, stream) => {
          const random = () => stream.next().value as number;
          expect(sign("t", respell(value, random))).toBe(sign("t", JSON.stringify(value)));
        },
      ),
      { numRuns: 300 },
    );
  });

  test("parsed arguments have the signature of their text", () => {
    fc.assert(
      fc.property(jsonObject, (value) => {
        const text = JSON.stringify(value);
        expect(canonicalArguments(JSON.parse(text)).text).toBe(canonicalArguments(text).text);
      }),
      { numRuns: 300 },
    );
  });

  test("another value has another signature", () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, (a, b) => {
        const normal = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replace(/-0(?![.\d])/g, "0"));
        let equal = true;
        try {
          expect(normal(a)).toEqual(normal(b));
        } catch {
          equal = false;
        }
        expect(sign("t", JSON.stringify(a)) === sign("t", JSON.stringify(b))).toBe(equal);
      }),
      { numRuns: 300 },
    );
  });

  test("tool names are part of it, and raw text is never an object", () => {
    expect(sign("a", "{}")).not.toBe(sign("b", "{}"));
    expect(sign("a", "{}")).not.toBe(sign("a", "{} x"));
  });
});

describe("the reader accepts what JSON.parse accepts", () => {
  const near = fc.oneof(
    fc.json(),
    fc.string(),
    fc.stringMatching(/^[[\]{}",:0-9eE+\-. \\a-fu]{0,12}$/),
    fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([text, at, noise]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + noise + text.slice(place + noise.length);
    }),
  );
  test("for any text near JSON", () => {
    fc.assert(
      fc.property(near, (text) => {
        let parsed: unknown;
        let isJson = true;
        try {
          parsed = JSON.parse(text);
        } catch {
          isJson = false;
        }
        const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
        expect(canonicalArguments(text).form).toBe(isJson ? (isObject ? "object" : "value") : "text");
      }),
      { numRuns: 5_000 },
    );
  });
});

describe("numbers are exact and cost no memory", () => {
  const literal = fc
    .tuple(
      fc.boolean(),
      fc.bigInt({ min: 0n, max: 10n ** 30n }),
      fc.nat({ max: 20 }),
      fc.integer({ min: -400, max: 400 }),
    )
    .map(([negative, digits, scale, exponent]) => ({ negative, digits, scale, exponent }));
  const text = ({
    negative,
    digits,
    scale,
    exponent,
  }: {
    negative: boolean;
    digits: bigint;
    scale: number;
    exponent: number;
  }) => {
    const padded = String(digits).padStart(scale + 1, "0");
    const whole = padded.slice(0, padded.length - scale);
    const fraction = scale > 0 ? `.${padded.slice(padded.length - scale)}` : "";
    return `${negative ? "-" : ""}${whole}${fraction}e${exponent}`;
  };
  test("the canonical number has the value of the literal", () => {
    fc.assert(
      fc.property(literal, (parts) => {
        const canonical = canonicalArguments(`{"n":${text(parts)}}`).members?.get("n") ?? "";
        const [, minus, digits = "0", exponent = "0"] = /^(-?)(\d+)(?:e(-?\d+))?$/.exec(canonical) ?? [];
        // Compared as integers over a common power of ten, far below every exponent in play.
        const ours = BigInt(digits) * 10n ** BigInt(Number(exponent) + 500);
        const theirs = parts.digits * 10n ** BigInt(parts.exponent - parts.scale + 500);
        expect(ours).toBe(theirs);
        expect(minus).toBe(parts.negative && parts.digits > 0n ? "-" : "");
        expect(canonical).toMatch(/^(0|-?[1-9](\d*[1-9])?e(0|-?[1-9]\d*))$/);
      }),
      { numRuns: 1_000 },
    );
  });

  test("exponents of any length are added to as whole numbers", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 40n }),
        fc.boolean(),
        fc.nat({ max: 30 }),
        (exponent, negative, zeros) => {
          const signed = negative ? -exponent : exponent;
          const canonical = canonicalArguments(
            `{"n":1${"0".repeat(zeros)}e${negative ? "-" : "+"}00${exponent}}`,
          ).members?.get("n");
          expect(canonical).toBe(`1e${signed + BigInt(zeros)}`);
          const fraction = canonicalArguments(`{"n":0.${"0".repeat(zeros)}1E${signed}}`).members?.get("n");
          expect(fraction).toBe(`1e${signed - BigInt(zeros + 1)}`);
        },
      ),
      { numRuns: 1_000 },
    );
    const carries = canonicalArguments(
      `{"a":10e${"9".repeat(40)},"b":0.1e1${"0".repeat(40)},"c":0.1e-${"9".repeat(40)}}`,
    );
    expect(carries.text).toBe(`{"a":1e1${"0".repeat(40)},"b":1e${"9".repeat(40)},"c":1e-1${"0".repeat(40)}}`);
    expect(canonicalArguments(`{"n":1e${"9".repeat(1_000_000)}}`).text).toHaveLength(1_000_008);
  });
});

describe("hostile values", () => {
  test("depth does not overflow the stack, in text or in values", () => {
    const depth = 200_000;
    const nested = `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    expect(canonicalArguments(nested).text).toBe(nested);
    const objects = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    expect(canonicalArguments(objects).form).toBe("object");
    let value: unknown = 1;
    for (let level = 0; level < depth; level++) value = { a: value };
    expect(sign("t", value)).toBe(sign("t", objects));
  });

  test("what JSON lacks is read as JSON.stringify reads it, and nothing throws", () => {
    const cyclic: Record<string, unknown> = {
      a: 1n,
      b: undefined,
      c: Number.NaN,
      d: [undefined, () => 1],
      e: new Date(0),
    };
    cyclic.self = cyclic;
    Object.defineProperty(cyclic, "broken", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    cyclic.json = {
      toJSON: () => {
        throw new Error("no");
      },
    };
    const canonical = '{"a":1e0,"c":null,"d":[null,null],"e":"1970-01-01T00:00:00.000Z","json":null,"self":"[cycle]"}';
    expect(canonicalArguments(cyclic).text).toBe(canonical);
    expect(canonicalArguments(undefined).text).toBe("{}");
    expect(canonicalArguments(null)).toMatchObject({ form: "value", text: "null" });
    expect(canonicalArguments([1, 2])).toMatchObject({ form: "value", text: "[1,2]" });
    expect(canonicalArguments(Symbol("x"))).toMatchObject({ form: "text", text: "" });
    const refusing = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no");
        },
      },
    );
    expect(canonicalArguments(refusing).form).toBe("text");
  });

  test("a value that is shared many times over is written in bounded time", () => {
    let shared: unknown = { leaf: "x" };
    for (let level = 0; level < 60; level++) shared = { left: shared, right: shared };
    expect(sign("t", shared)).toMatch(/^[0-9a-f]{32}$/);
    const endless = { toJSON: () => ({ again: endless }) };
    expect(sign("t", endless)).toMatch(/^[0-9a-f]{32}$/);
  });

  test("names such as __proto__ are names", () => {
    expect(canonicalArguments('{"__proto__":1,"constructor":2}').text).toBe('{"__proto__":1e0,"constructor":2e0}');
    expect(canonicalArguments(JSON.parse('{"__proto__":1}')).text).toBe('{"__proto__":1e0}');
  });
});

test("the digest is HMAC-SHA-256 for keys and messages of any length", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 200, unit: "binary" }),
      fc.string({ maxLength: 100, unit: "binary" }),
      fc.nat({ max: 3 }),
      (text, message, size) => {
        const long = message.repeat([1, 10, 100, 1_000][size] ?? 1);
        const reference = createHmac("sha256", Buffer.from(text)).update(long).digest("hex");
        expect(new SigningKey(text).digest(long, 32)).toBe(reference);
      },
    ),
    { numRuns: 300 },
  );
  const reference = createHmac("sha256", keyText).update("operation\0x").digest("hex");
  expect(keyedDigest(key, "operation", "x")).toBe(reference.slice(0, 16));
});

test("a key does not show in what prints or serialises it", async () => {
  const { inspect } = await import("node:util");
  expect(inspect(key, { depth: 9, showHidden: true }) + JSON.stringify(key)).not.toContain(
    Buffer.from(keyText).toString("hex"),
  );
  expect(inspect(key, { depth: 9 })).not.toContain("#inner");
});

describe("argument digests", () => {
  test("an undeclared name is hidden, and still told apart", () => {
    const args = canonicalArguments('{"b":1,"secret":2,"Secret":2,"a":1}');
    const digests = argumentDigests(key, args, (name) => name.length === 1) ?? [];
    expect(digests.map((digest) => digest.split("=")[0])).toEqual(["*", "*", "a", "b"]);
    expect(new Set(digests).size).toBe(4);
    expect(digests.slice(0, 2)).toEqual(digests.slice(0, 2).toSorted());
  });

  test("at most 32 are sent", () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`a${String(at).padStart(2, "0")}`, at]));
    const digests = argumentDigests(key, canonicalArguments(many), () => true) ?? [];
    expect(digests).toHaveLength(32);
    expect(digests.at(-1)).toMatch(/^a31=/);
  });
});
