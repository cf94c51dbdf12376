import { KEY } from "./spans.ts";

/** A tool with a schema and one that nothing checks, and a right and a wrong call. */
export const tools = {
  book: {
    description: "Books seats.",
    schema: {
      type: "object",
      properties: { start: { type: "string", format: "date" }, seats: { type: "integer", minimum: 1 } },
      required: ["start"],
      additionalProperties: false,
    },
  },
  free: { description: "Takes anything." },
} as const;
export const key = KEY;
export const right = { name: "book", arguments: '{"start":"2026-01-15"}', id: "call_1" };
export const wrong = { name: "book", arguments: '{"start":"January"}', id: "call_1" };
