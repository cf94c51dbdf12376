import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { detect, HEAD_BYTES } from "../../../collector/transcripts/detect.ts";
import { says, user } from "./reading.ts";

const of = (content: string | Uint8Array | object) =>
  detect(
    content instanceof Uint8Array
      ? content
      : Buffer.from(typeof content === "string" ? content : JSON.stringify(content)),
  );
const formatOf = (content: string | Uint8Array | object) => {
  const found = of(content);
  return found.kind === "format" ? found.name : found.kind;
};

test("chat messages are known in every layout, also by a head that is cut off", () => {
  const run = { task_id: 1, info: { a: [1] }, messages: [user("x"), says("y")] };
  const lines = `${JSON.stringify(run)}\n${JSON.stringify(run)}`;
  for (const content of [run, [run], run.messages, [run.messages], { traj: run.messages }, lines]) {
    expect(formatOf(content)).toBe("openai-chat");
  }
  expect(formatOf(JSON.stringify([run]).slice(0, -40))).toBe("openai-chat");
});

test("other formats are named, whatever words stand inside their strings", () => {
  expect(formatOf({ resourceSpans: [{ role: "user" }] })).toBe("otlp");
  expect(formatOf({ jsonrpc: "2.0", id: 1, method: "tools/call" })).toBe("mcp");
  expect(formatOf({ type: "user", sessionId: "s", message: { role: "user", content: "messages" } })).toBe(
    "claude-code",
  );
  expect(formatOf([{ id: "1", messages: [{ role: "user", parts: [{ type: "text", text: "x" }] }] }])).toBe("ai-sdk-ui");
  const blocks = [{ type: "tool_use", id: "t", name: "book", input: {} }];
  expect(formatOf({ messages: [user("x"), { role: "assistant", content: blocks }] })).toBe("anthropic");
  expect(formatOf([{ type: "function_call", call_id: "c", name: "book", arguments: "{}" }])).toBe("openai-responses");
  expect(formatOf({ messages: [user('{"resourceSpans":[],"type":"tool_use"}')] })).toBe("openai-chat");
});

test("what is no transcript is said in words, with what to do", () => {
  const foreign: readonly (readonly [content: string | Uint8Array, what: string])[] = [
    [new Uint8Array(), "empty"],
    ["  \n", "empty"],
    [Buffer.from([0x1f, 0x8b, 8, 0]), "gzip"],
    [Buffer.from("PK\x03\x04"), "zip"],
    [Buffer.from([0xff, 0xfe, 0x5b, 0]), "UTF-16"],
    [Buffer.from([0x0a, 0x12, 0, 4]), "binary"],
    ["interactions:\n- request: {}\n", "VCR"],
    ["<html></html>", "no JSON"],
  ];
  for (const [content, what] of foreign) {
    const found = of(content);
    expect(found).toMatchObject({ kind: "foreign", what: expect.stringContaining(what) });
    expect(found.kind === "foreign" && found.advice.length).toBeGreaterThan(10);
  }
  expect(of({ foo: 1 })).toMatchObject({ kind: "unknown" });
});

test("any bytes are told to be something", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(["format", "foreign", "unknown"]).toContain(of(bytes).kind);
    }),
  );
});

const shared = process.env.MULLIGAN_SHARED ?? join(import.meta.dirname, "../../../../shared");
const data = join(shared, "data");
const absent = !existsSync(data);
if (absent) process.stderr.write(`skipped: real files are not at ${data}; MULLIGAN_SHARED names their folder\n`);

describe.skipIf(absent)("real files of many programs", () => {
  const expected: Readonly<Record<string, string>> = {
    "agentevals-samples": "otlp",
    "claude-code-entireio": "claude-code",
    "mcp-jsonrpc": "mcp",
    "tau-bench": "openai-chat",
    "any-agent-traces": "foreign",
    "bfcl-memory": "foreign",
    "inspect-ai": "foreign",
    "langfuse-framework-traces": "foreign",
    "pydantic-ai-cassettes": "foreign",
    "tau2-gemma3": "foreign",
    toolbench: "foreign",
  };
  test.each(Object.entries(expected))("every file of %s is told to be %s", (folder, format) => {
    const files = readdirSync(join(data, folder)).filter((name) => !/^(?:LICENSE|SOURCE)/.test(name));
    expect(files.length).toBeGreaterThan(0);
    for (const name of files) {
      const path = join(data, folder, name);
      if (statSync(path).isFile())
        expect([name, formatOf(readFileSync(path).subarray(0, HEAD_BYTES))]).toEqual([name, format]);
    }
  });
});
