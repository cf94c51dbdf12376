import { instrumentExecutor, recordRunOutcome, startRun, ToolInputError } from "@mulligan/instrumentation";
import { type DiagLogger, DiagLogLevel, diag } from "@opentelemetry/api";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { recordSpans, textOf } from "./support/spans.ts";

const logged: string[] = [];
const log = (...parts: unknown[]) => void logged.push(parts.map(String).join(" "));
diag.setLogger({ error: log, warn: log, info: log, debug: log, verbose: log } satisfies DiagLogger, DiagLogLevel.ALL);
process.on("warning", (warning) => logged.push(`${warning.message} ${warning.stack}`));
const spans = recordSpans();
afterAll(() => spans.stop());

/** Twelve letters that occur nowhere else. */
const secret = fc.stringMatching(/^[a-z]{12}$/).map((letters) => `zq${letters}`);

const properties = {
  start: { type: "string", format: "date" },
  kind: { enum: ["a", "b"] },
  guests: {
    type: "array",
    items: { type: "object", properties: { age: { type: "integer" } }, additionalProperties: false },
  },
  map: { type: "object", additionalProperties: { type: "number" }, propertyNames: { maxLength: 3 } },
  either: {
    anyOf: [{ type: "number" }, { type: "object", properties: { x: { type: "number" } }, additionalProperties: false }],
  },
};
const zod = z.strictObject({
  start: z.iso.date(),
  kind: z.enum(["a", "b"]),
  guests: z.array(z.strictObject({ age: z.int() })),
  map: z.record(z.string().max(3), z.number()),
  either: z.union([z.number(), z.strictObject({ x: z.number() })]),
});

const argumentsWith = (word: string) =>
  fc.constantFrom<unknown>(
    `{"start":"${word}`,
    `"${word}"`,
    { start: word, kind: word, guests: [{ age: word, [word]: 1 }], map: { [word]: word }, either: word },
    { [word]: word, guests: { [word]: [word] }, either: { [word]: word } },
    { start: "2026-01-15", kind: "a", guests: [], map: {}, either: { x: word } },
    { start: "2026-01-15", kind: "a", guests: [], map: {}, either: 1 },
  );

test("no argument value, key, invented tool name, error text, result or key of signing is in any span or log line", () => {
  fc.assert(
    fc.property(
      secret.chain((word) => fc.tuple(fc.constant(word), argumentsWith(word))),
      fc.constantFrom("book", "invented"),
      fc.boolean(),
      fc.constantFrom("json", "zod", "none"),
      fc.constantFrom<"observe" | "enforce">("observe", "enforce"),
      fc.nat({ max: 6 }),
      ([word, args], which, asText, schema, mode, end) => {
        const required = ["start", word];
        const tool =
          schema === "zod"
            ? { schema: zod }
            : schema === "json"
              ? { schema: { type: "object", properties, required, additionalProperties: false } }
              : {};
        const error = Object.assign(new Error(word, { cause: new Error(word) }), {
          name: word,
          code: word,
          [word]: word,
        });
        const execute = instrumentExecutor(
          (_call: object): unknown => {
            if (end === 0) return { text: word };
            if (end === 1) return { isError: true, content: word };
            if (end === 2)
              throw new ToolInputError({
                parameter: word,
                category: word,
                received: word,
                example: word,
                correction: word,
              });
            throw end === 3 ? word : error;
          },
          {
            tools: { book: tool },
            mode,
            key: `${word}${word}`,
            classifyError:
              end === 4
                ? () => ({ failureClass: "denied", rule: `no ${word}`, category: `${word} `, parameter: word })
                : undefined,
            isError:
              end === 5
                ? () => {
                    throw error;
                  }
                : undefined,
          },
        );
        const run = startRun({ runId: `run of ${word}`, key: `${word}${word}` });
        const turn = run.turn({ model: "m", finishReason: `because ${word}` });
        const name = which === "book" ? "book" : `${word}_tool`;
        const given = typeof args === "string" || !asText ? args : JSON.stringify(args);
        try {
          turn.with(() => execute({ name, arguments: given, id: `id of ${word}`, operationId: word }));
        } catch {
          // Its text is for the model.
        }
        run.end(word as "completed", { budget: `of ${word}` });
        recordRunOutcome(`run of ${word}`, word as "completed", { key: `${word}${word}` });
        const all = spans.take();
        expect(all).toHaveLength(3);
        for (const span of all) {
          expect(textOf(span)).not.toContain(word);
          expect(span.events).toEqual([]);
          expect(span.status.message).toBeUndefined();
        }
        expect(logged.join("\n")).not.toContain(word);
      },
    ),
    { numRuns: 500 },
  );
  expect(logged.length).toBeGreaterThan(0);
});

test("without a list of tools a name that looks like none is not recorded", () => {
  const execute = instrumentExecutor((_call: object) => 1, { key: "a-key-of-the-tests-long-enough" });
  execute({ name: "please call the secret tool", arguments: "{}" });
  expect(textOf(spans.takeOne())).not.toContain("secret");
});
