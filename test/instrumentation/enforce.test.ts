import { instrumentExecutor, ToolInputError } from "@mulligan/instrumentation";
import * as semconv from "@mulligan/instrumentation/internal/semconv";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { key, right, tools, wrong } from "./support/booking.ts";
import { attributes, isError, recordSpans } from "./support/spans.ts";

const spans = recordSpans();
beforeEach(() => void spans.take());
afterAll(() => spans.stop());

describe("enforce", () => {
  const enforced = (execute: (call: typeof right) => unknown, more = {}) =>
    instrumentExecutor(execute, { tools, key, mode: "enforce", ...more });
  const attempt = (work: () => unknown): ToolInputError => {
    try {
      work();
    } catch (error) {
      if (error instanceof ToolInputError) return error;
    }
    throw new Error("a ToolInputError was expected");
  };

  test.each([
    [
      wrong,
      "schema",
      "invalid:start:date_format",
      'Argument "start" is invalid: expected a date text, for example "2026-01-15", received "January".',
    ],
    [
      { ...wrong, arguments: "{}" },
      "schema",
      "invalid:start:missing",
      'Argument "start" is missing: expected a date text, for example "2026-01-15".',
    ],
    [
      { ...wrong, arguments: '{"start":"2026-01-15","seats":0}' },
      "schema",
      "invalid:seats:range",
      'Argument "seats" is invalid: expected an integer at least 1, received 0.',
    ],
    [
      { ...wrong, arguments: '{"start":"2026-01-15","day":1}' },
      "schema",
      "invalid:$:extra_property",
      'The arguments have a member that is not declared ("day"). Allowed: start, seats.',
    ],
    [
      { ...wrong, arguments: "{" },
      "malformed",
      "malformed:$:malformed_json",
      'The arguments are not valid JSON. Send one JSON object, for example {"start":"2026-01-15"}.',
    ],
    [
      { ...wrong, arguments: "[]" },
      "malformed",
      "malformed:$:not_object",
      'The arguments must be one JSON object, for example {"start":"2026-01-15"}',
    ],
    [
      { ...wrong, name: "Bok" },
      "unknown_tool",
      "unknown_tool:$:unknown_tool",
      'There is no tool "Bok". Did you mean "book"? Available: book, free.',
    ],
  ])("%o does not reach execute, and the text says what can succeed", (call, failureClass, fingerprint, text) => {
    let ran = 0;
    const error = attempt(() => enforced(() => ran++)(call));
    expect(error).toMatchObject({ failureClass, fingerprint, retryability: "after_change" });
    expect(error.message).toContain(text);
    expect(error.message).toMatch(/can succeed/);
    expect(ran).toBe(0);
    const span = spans.takeOne();
    expect(attributes(span)).toMatchObject({
      [semconv.ATTR_CALL_VERDICT]: "rejected",
      [semconv.ATTR_CALL_FAILURE_CLASS]: failureClass,
      [semconv.ATTR_ERROR_FINGERPRINT]: fingerprint,
      [semconv.ATTR_ERROR_RETRYABILITY]: "after_change",
    });
    expect(isError(span)).toBe(true);
  });

  test("a right call and an unchecked one run", () => {
    expect(enforced(() => "ran")(right)).toBe("ran");
    expect(enforced(() => "ran")({ ...right, name: "free" })).toBe("ran");
  });

  test("the refusal comes as the executor answers: rejection, generator, throw", async () => {
    const rejection = enforced(async () => 1)(wrong);
    expect(rejection).toBeInstanceOf(Promise);
    await expect(rejection).rejects.toBeInstanceOf(ToolInputError);

    const learned = enforced((_call) => Promise.resolve(1));
    await learned(right);
    await expect(learned(wrong)).rejects.toBeInstanceOf(ToolInputError);

    const generator = enforced(async function* () {
      yield 1;
    })(wrong) as AsyncGenerator;
    await expect(generator.next()).rejects.toBeInstanceOf(ToolInputError);
    const sync = enforced(function* () {
      yield 1;
    })(wrong) as Generator;
    expect(() => sync.next()).toThrow(ToolInputError);
  });

  test("onRejected gives the answer instead, in the executor's way; if it throws, the error is thrown", async () => {
    const onRejected = (error: ToolInputError, call: typeof right) => `${call.id}: ${error.failureClass}`;
    expect(enforced(() => "ran", { onRejected })(wrong)).toBe("call_1: schema");
    expect(await enforced(async () => "ran", { onRejected })(wrong)).toBe("call_1: schema");
    const streamed = enforced(
      async function* () {
        yield "ran";
      },
      { onRejected },
    )(wrong) as AsyncGenerator;
    expect(await streamed.next()).toEqual({ done: false, value: "call_1: schema" });
    const broken = () => {
      throw new Error("hook");
    };
    expect(attempt(() => enforced(() => 1, { onRejected: broken })(wrong)).failureClass).toBe("schema");
  });

  test("a secret or a long value is not echoed", () => {
    const secrets = {
      tool: {
        schema: {
          type: "object",
          properties: { password: { type: "integer" }, note: { type: "string", maxLength: 3 } },
        },
      },
    };
    const execute = instrumentExecutor((_call: typeof right) => 1, { tools: secrets, key, mode: "enforce" });
    const text = attempt(() =>
      execute({
        ...right,
        name: "tool",
        arguments: JSON.stringify({ password: "hunter2", note: `hello ${"x y ".repeat(100)}` }),
      }),
    ).message;
    expect(text).not.toContain("hunter2");
    expect(text).toContain('"password" is invalid: expected an integer.');
    expect(text.length).toBeLessThan(300);
  });
});
