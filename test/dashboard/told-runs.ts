/** Runs of a real instrumented executor that have everything a run page can show; only the model is a script. */
import { instrumentExecutor, type Run, type RunOptions, startRun, ToolInputError } from "@mulligan/instrumentation";

const text = { type: "string" };
const tool = (name: string, properties: Record<string, object>, flags: object = {}) => ({
  name,
  parameters: { type: "object", properties },
  ...flags,
});
const TOOLS = [
  tool(
    "book_room",
    { start: text, nights: { type: "integer" } },
    { mutates: true, reversible: true, schemaVersion: "s1" },
  ),
  tool("get_weather", { city: text }, { mutates: false, schemaVersion: "s1" }),
  tool("send_mail", { to: text }, { mutates: true, reversible: false, external: true, schemaVersion: "s1" }),
];

export interface Script {
  readonly run: Run;
  /** One model turn with these calls; none is a turn of text alone. */
  turn(...calls: readonly (readonly [tool: string, given: object])[]): void;
}

const LATENCY_MS = 20;

/** A run whose model does what it is told, `start` milliseconds since 1970. */
export function script(start: number, options: RunOptions = {}): Script {
  let now = start;
  const clock = () => now;
  const execute = instrumentExecutor(answer, {
    tools: TOOLS,
    templateVersion: "v2",
    clock,
    classifyError: (error) => (error instanceof Error ? CLASSES[error.message] : undefined),
  });
  /** Dates must be ISO; the weather of Atlantis cannot be had twice; mail leaves only to our own. */
  function answer({ name, arguments: given }: { name: string; id: string; arguments: string }): string {
    now += LATENCY_MS;
    const { start: date, city, to } = JSON.parse(given) as Record<string, string>;
    if (!TOOLS.some((known) => known.name === name)) throw new ToolInputError({ failureClass: "unknown_tool" });
    if (date !== undefined && !/^\d{4}-\d\d-\d\d$/.test(date)) {
      throw new ToolInputError({ parameter: "start", category: "date_format", received: date, example: "2026-01-15" });
    }
    if (city === "Atlantis") {
      weatherCalls++;
      if (weatherCalls % 2 === 1) throw new Error("upstream timeout");
    }
    if (to?.endsWith("@elsewhere.example")) throw new Error("not allowed");
    return "done";
  }
  let weatherCalls = 0;
  const run = startRun({ agent: "bookings", ...options, clock });
  let calls = 0;
  return {
    run,
    turn(...wanted) {
      now += 600;
      const usage = { inputTokens: 1_200, cachedInputTokens: 800, outputTokens: 40 };
      run.turn({ model: "example-model", usage, durationMs: 500 }).with(() => {
        for (const [index, [name, given]] of wanted.entries()) {
          calls++;
          try {
            execute({ name, id: `call_${calls}`, arguments: JSON.stringify(given), index } as never);
          } catch {
            // The model reads the error's text and goes on with its script.
          }
        }
      });
    },
  };
}

const CLASSES: Readonly<Record<string, "timeout" | "denied">> = {
  "upstream timeout": "timeout",
  "not allowed": "denied",
};

/** Everything once: repeats, parallel calls, all three kinds, a tool that was not offered, text alone, a bad end. */
export function tellStory(start: number, options?: RunOptions): Run {
  const { run, turn } = script(start, options);
  turn(["book_room", { start: "soon", nights: 2 }]);
  turn(["book_room", { start: "soon", nights: 2 }], ["get_weather", { city: "Oslo" }]);
  turn();
  turn(["book_room", { start: "2026-01-15", nights: 2 }]);
  turn(["book_room", { start: "Monday", nights: 1 }], ["book_room", { start: "Tuesday", nights: 3 }]);
  turn(["book_room", { start: "2026-01-19", nights: 1 }], ["book_room", { start: "2026-01-20", nights: 3 }]);
  turn(["get_weather", { city: "Atlantis" }]);
  turn(["get_weather", { city: "Atlantis" }]);
  turn(["send_mail", { to: "a@elsewhere.example" }]);
  turn(["send_mail", { to: "a@elsewhere.example" }]);
  turn(["book_hotel", { start: "2026-02-01", nights: 4 }]);
  turn(["book_room", { start: "2026-02-01", nights: 4 }]);
  turn(["book_room", { start: "March", nights: 5 }]);
  turn(["book_room", { start: "April", nights: 6 }]);
  run.end("escalated");
  return run;
}

/** So many turns of which only two fail, each repaired on the next. */
export function tellLongRun(start: number, turns: number, failing: readonly number[]): Run {
  const { run, turn } = script(start);
  for (let at = 0; at < turns; at++) {
    if (at % 10 === 9) turn();
    else turn(["book_room", { start: failing.includes(at) ? "soon" : "2026-01-15", nights: at + 1 }]);
  }
  run.end("completed");
  return run;
}
