import { instrumentExecutor, ToolInputError } from "@mulligan/instrumentation";
import * as semconv from "@mulligan/instrumentation/internal/semconv";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { key, right, tools, wrong } from "./support/booking.ts";
import { attributes, recordSpans } from "./support/spans.ts";

const spans = recordSpans();
beforeEach(() => void spans.take());
afterAll(() => spans.stop());

/** What was run, thrown or returned → what is recorded, in observe mode. */
const named = (name: string) => Object.assign(new Error("x"), { name });
const observed: [
  title: string,
  call: { name: string; arguments: unknown },
  outcome: { result?: unknown; error?: unknown },
  verdict: string,
  failure: string | undefined,
  fingerprint: string | undefined,
  schema: string | undefined,
][] = [
  ["a result", right, { result: 1 }, "accepted", undefined, undefined, "accepted"],
  ["a result against the schema", wrong, { result: 1 }, "accepted", undefined, undefined, "rejected"],
  [
    "a result of an unchecked tool",
    { name: "free", arguments: "{}" },
    { result: 1 },
    "accepted",
    undefined,
    undefined,
    undefined,
  ],
  [
    "an error, the schema refuses",
    wrong,
    { error: new Error("bad date") },
    "rejected",
    "schema",
    "invalid:start:date_format",
    "rejected",
  ],
  [
    "an error, the schema accepts",
    right,
    { error: new Error("down") },
    "accepted",
    "execution",
    "execution:$:other",
    "accepted",
  ],
  [
    "an isError result, the schema refuses",
    wrong,
    { result: { isError: true } },
    "rejected",
    "schema",
    "invalid:start:date_format",
    "rejected",
  ],
  [
    "an isError result, the schema accepts",
    right,
    { result: { isError: true } },
    "accepted",
    "execution",
    "execution:$:other",
    "accepted",
  ],
  [
    "an error, the text is no JSON",
    { ...right, arguments: '{"start":' },
    { error: new SyntaxError("x") },
    "rejected",
    "malformed",
    "malformed:$:malformed_json",
    "rejected",
  ],
  [
    "an error, the JSON is no object",
    { ...right, arguments: "[1]" },
    { error: new Error("x") },
    "rejected",
    "malformed",
    "malformed:$:not_object",
    "rejected",
  ],
  [
    "an error, no such tool",
    { ...right, name: "bok" },
    { error: new Error("x") },
    "rejected",
    "unknown_tool",
    "unknown_tool:$:unknown_tool",
    "rejected",
  ],
  [
    "an error, nothing checks the tool",
    { name: "free", arguments: "{}" },
    { error: new Error("x") },
    "accepted",
    "execution",
    "execution:$:other",
    undefined,
  ],
  [
    "our own error",
    right,
    { error: new ToolInputError({ parameter: "start", category: "range" }) },
    "rejected",
    "tool_input",
    "invalid:start:range",
    "accepted",
  ],
  [
    "our own error, undeclared parameter",
    right,
    { error: new ToolInputError({ parameter: "secret.0" }) },
    "rejected",
    "tool_input",
    "invalid:*.[]:custom",
    "accepted",
  ],
  ["an abort", right, { error: named("AbortError") }, "accepted", "cancelled", "cancelled:$:other", "accepted"],
  [
    "an abort of an unchecked tool",
    { name: "free", arguments: "{}" },
    { error: named("AbortError") },
    "unknown",
    "cancelled",
    "cancelled:$:other",
    undefined,
  ],
  ["a timeout by name", wrong, { error: named("TimeoutError") }, "accepted", "timeout", "timeout:$:other", "rejected"],
  [
    "a timeout by code",
    right,
    { error: Object.assign(new Error("x"), { code: "ETIMEDOUT" }) },
    "accepted",
    "timeout",
    "timeout:$:other",
    "accepted",
  ],
  [
    "a TypeError of the tool's own",
    wrong,
    { error: new TypeError("x") },
    "accepted",
    "execution",
    "execution:$:other",
    "rejected",
  ],
];

test.each(observed)("observe: %s", async (_title, call, outcome, verdict, failure, fingerprint, schema) => {
  const got: unknown[] = [];
  const run = (given: typeof call): unknown => {
    got.push(given);
    if ("error" in outcome) throw outcome.error;
    return outcome.result;
  };
  for (const execute of [run, async (given: typeof call) => run(given)]) {
    const wrapped = instrumentExecutor(execute, { tools, key });
    await Promise.resolve()
      .then(() => wrapped(call))
      .catch(() => {});
    const said = attributes(spans.takeOne());
    expect(said[semconv.ATTR_CALL_VERDICT]).toBe(verdict);
    expect(said[semconv.ATTR_CALL_FAILURE_CLASS]).toBe(failure);
    expect(said[semconv.ATTR_ERROR_FINGERPRINT]).toBe(fingerprint);
    expect(said[semconv.ATTR_CALL_SCHEMA_VERDICT]).toBe(schema);
    expect(said[semconv.ATTR_CALL_VALIDATED]).toBe(schema !== undefined);
  }
  expect(got).toHaveLength(2);
  expect(got[0]).toBe(call);
});

describe("classifyError comes before the defaults", () => {
  const failing = (
    classifyError: NonNullable<Parameters<typeof instrumentExecutor>[1]>["classifyError"],
    call = right,
  ) => {
    const execute = instrumentExecutor(
      (_call: typeof right): void => {
        throw named("AbortError");
      },
      { tools, key, classifyError },
    );
    expect(() => execute(call)).toThrow("x");
    return attributes(spans.takeOne());
  };

  test("with a parameter, a category, a retryability", () => {
    const said = failing(() => ({
      failureClass: "tool_input",
      parameter: "seats",
      category: "range",
      retryability: "never",
    }));
    expect(said[semconv.ATTR_ERROR_FINGERPRINT]).toBe("invalid:seats:range");
    expect(said[semconv.ATTR_ERROR_TYPE]).toBe("tool_input:range");
    expect(said[semconv.ATTR_ERROR_RETRYABILITY]).toBe("never");
  });

  test("a denial names its rule, and its verdict is that of the schema", () => {
    const denied = () => ({ failureClass: "denied", rule: "no_weekends" }) as const;
    const said = failing(denied);
    expect(said[semconv.ATTR_ERROR_FINGERPRINT]).toBe("denied:$:no_weekends");
    expect(said[semconv.ATTR_ERROR_RULE]).toBe("no_weekends");
    expect(said[semconv.ATTR_CALL_VERDICT]).toBe("accepted");
    expect(failing(denied, { ...right, name: "free" })[semconv.ATTR_CALL_VERDICT]).toBe("unknown");
  });

  test("undefined, a throw, or no class leaves it to the defaults", () => {
    const broken = [
      () => undefined,
      () => {
        throw new Error("hook");
      },
      () => "no_class" as "schema",
    ];
    for (const hook of broken) expect(failing(hook)[semconv.ATTR_CALL_FAILURE_CLASS]).toBe("cancelled");
  });
});
