/** Which format a file is in, told from its first bytes; for a file that cannot be read, what it is and what to do. */
import { keyPaths } from "./sniff.ts";

export type Detection =
  /** `name` is a value of `--format`, read here or not. */
  | { readonly kind: "format"; readonly name: string; readonly what: string }
  /** Something else that is known. */
  | { readonly kind: "foreign"; readonly what: string; readonly advice: string }
  | { readonly kind: "unknown"; readonly what: string };

/** So many bytes of a file are looked at. */
export const HEAD_BYTES = 1024 * 1024;

const CONVERT = "Write its messages as OpenAI Chat Completions messages, one run a line, and import those.";

/** Files that are no JSON text, by their first bytes. */
const MAGIC: readonly (readonly [bytes: readonly number[], what: string, advice: string])[] = [
  [[0x1f, 0x8b], "a gzip archive", "Unpack it first, for example with `gunzip -k FILE`."],
  [[0x50, 0x4b, 0x03, 0x04], "a zip archive", "Unpack it first, for example with `unzip FILE`."],
  [[0x28, 0xb5, 0x2f, 0xfd], "a zstd archive", "Unpack it first, for example with `zstd -d FILE`."],
  [[0x53, 0x51, 0x4c, 0x69, 0x74, 0x65], "an SQLite database", CONVERT],
  [[0x25, 0x50, 0x44, 0x46], "a PDF document", "Import the transcript that it was made of."],
  [[0xff, 0xfe], "text in UTF-16", "Save it as UTF-8, for example with `iconv -f UTF-16 -t UTF-8 FILE`."],
  [[0xfe, 0xff], "text in UTF-16", "Save it as UTF-8, for example with `iconv -f UTF-16 -t UTF-8 FILE`."],
];

interface Sign {
  readonly format?: string;
  readonly what: string;
  /** Every pattern matches a key path of the head. */
  readonly has: readonly RegExp[];
}

/** First match wins: the most telling first. */
const SIGNS: readonly Sign[] = [
  { format: "otlp", what: "OpenTelemetry spans (OTLP)", has: [/^(?:resourceSpans|resource_spans|batches)(?:\[\]|$)/] },
  { format: "otlp", what: "a Jaeger export of spans", has: [/^data\[\]\.spans\[\]\.(?:operationName|traceID)$/] },
  { what: "an any-agent trace", has: [/^spans\[\]\.context\.(?:trace_id|span_id)$/] },
  { what: "a Langfuse export", has: [/^observations\[\]/, /^trace(?:\.|$)/] },
  { what: "a tau2 simulation log", has: [/^(?:simulations\[\]|info\.(?:agent_info|user_info))/] },
  { what: "a ToolBench answer", has: [/^answer_generation(?:\.|$)/] },
  { what: "a BFCL inference log", has: [/^inference_log(?:\[\]|$)/] },
  { what: "an Inspect evaluation log", has: [/^eval\.(?:task|model|run_id|created)$/] },
  { what: "recorded HTTP requests (a VCR cassette)", has: [/^interactions\[\]/] },
  { format: "mcp", what: "Model Context Protocol frames", has: [/^(?:frame\.)?jsonrpc$/] },
  { format: "mcp", what: "Model Context Protocol frames", has: [/^frame$/, /^dir(?:=|$)/] },
  { format: "claude-code", what: "a Claude Code session", has: [/^sessionId$/, /^(?:type|message|uuid)(?:[.=]|$)/] },
  { format: "ai-sdk-ui", what: "AI SDK UI messages", has: [/^(?:messages\[\]\.)?parts\[\]\.type=/] },
  { format: "jsonl", what: "neutral records", has: [/^type=(?:run|turn|call)$/, /^run_id$/] },
  {
    format: "openai-responses",
    what: "OpenAI Responses items",
    has: [/(?:^|\.|\])type=(?:function_call|function_call_output)$/],
  },
  {
    format: "anthropic",
    what: "Anthropic messages",
    has: [/content\[\]\.(?:type=(?:tool_use|tool_result)|tool_use_id|input)(?:$|\.)/],
  },
  {
    format: "openai-chat",
    what: "OpenAI Chat Completions messages",
    has: [/^(?:(?:messages|traj)\[\]\.)?role=(?:system|developer|user|assistant|tool|function)$/],
  },
];

/** @param head the first bytes of the file, `HEAD_BYTES` at most */
export function detect(head: Uint8Array): Detection {
  const magic = MAGIC.find(([bytes]) => bytes.every((byte, at) => head[at] === byte));
  if (magic !== undefined) return { kind: "foreign", what: magic[1], advice: magic[2] };
  if (head.includes(0)) return { kind: "foreign", what: "a binary file", advice: `JSON text is read. ${CONVERT}` };
  const text = new TextDecoder().decode(head).trimStart();
  if (text === "") return { kind: "foreign", what: "an empty file", advice: "There is nothing to import." };
  if (/^(?:STDIN|STDOUT|STDERR):/.test(text))
    return { kind: "format", name: "mcp", what: "Model Context Protocol frames" };
  if (/^interactions:/m.test(text.slice(0, 4096))) {
    return { kind: "foreign", what: "recorded HTTP requests (a VCR cassette)", advice: CONVERT };
  }
  if (!/^[[{]/.test(text)) return { kind: "foreign", what: "text that is no JSON", advice: CONVERT };
  return detectJson(text);
}

function detectJson(text: string): Detection {
  const paths = [...keyPaths(text)];
  const sign = SIGNS.find(({ has }) => has.every((pattern) => paths.some((path) => pattern.test(path))));
  if (sign === undefined) return { kind: "unknown", what: "JSON without messages" };
  if (sign.format !== undefined) return { kind: "format", name: sign.format, what: sign.what };
  return { kind: "foreign", what: sign.what, advice: CONVERT };
}
