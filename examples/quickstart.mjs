import { instrumentExecutor } from "@mulligan/instrumentation";
import { callTool, tools } from "./my-tools.mjs"; // what you have already

export const execute = instrumentExecutor(callTool, { tools });

// In your loop, as before:
console.log(await execute({ id: "call_1", name: "book_room", arguments: '{"start":"2026-01-15","nights":2}' }));
