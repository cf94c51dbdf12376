// Stands for what you have already: the tool list that you send to the model, and the function that runs one call.
export const tools = [
  {
    type: "function",
    function: {
      name: "book_room",
      description: "Books a room.",
      parameters: {
        type: "object",
        properties: {
          start: { type: "string", format: "date", examples: ["2026-01-15"] },
          nights: { type: "integer", minimum: 1 },
        },
        required: ["start", "nights"],
        additionalProperties: false,
      },
    },
  },
];

export async function callTool({ name, arguments: text }) {
  const { start, nights } = JSON.parse(text);
  if (name !== "book_room") throw new Error(`no tool ${name}`);
  if (Number.isNaN(Date.parse(start))) throw new Error("Invalid 'start' parameter");
  return `booked ${nights} nights from ${start}`;
}
