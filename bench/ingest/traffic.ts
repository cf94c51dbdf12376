/**
 * What the spans of the benchmark come from: agents, fifty at a time, that call real instrumented tools by script. About
 * one proposal in twenty-five is wrong, and the next turns mostly mend it. The same seed gives the same runs.
 */
import { instrumentExecutor, type Run, startRun, ToolInputError } from "@mulligan/instrumentation";

const TOGETHER = 50;
const SPAN_OF_TIME_MS = 6 * 60 * 60 * 1000;
const text = { type: "string" } as const;
const date = { type: "string", format: "date" } as const;

const schema = (properties: object, required: readonly string[]) => ({
  schema: { type: "object", properties, required, additionalProperties: false },
});

const TOOLS = {
  search_flights: { ...schema({ from: text, to: text, day: date }, ["from", "to", "day"]), mutates: false },
  book_flight: { ...schema({ flight: text, seats: { type: "integer" } }, ["flight"]), mutates: true, reversible: true },
  find_guest: { ...schema({ email: text, limit: { type: "integer" } }, ["email"]), mutates: false },
  issue_credit: { ...schema({ guest: text, cents: { type: "integer" } }, ["guest", "cents"]), mutates: true },
  room_rates: { ...schema({ hotel: text, day: date }, ["hotel", "day"]), mutates: false, external: true },
  create_export: { ...schema({ kind: { enum: ["pdf", "csv"] }, day: date }, ["kind", "day"]), mutates: true },
};
type ToolName = keyof typeof TOOLS;
const NAMES = Object.keys(TOOLS) as ToolName[];

/** Arguments that the schemas take, and beside them what a model writes instead. */
const ARGUMENTS: Readonly<Record<ToolName, { readonly right: object; readonly wrong: object }>> = {
  search_flights: {
    right: { from: "HAM", to: "LIS", day: "2026-03-01" },
    wrong: { from: "HAM", to: "LIS", day: "1 March" },
  },
  book_flight: { right: { flight: "LH 1170", seats: 2 }, wrong: { flight: "LH 1170", seats: "two" } },
  find_guest: { right: { email: "a.guest@example.org", limit: 5 }, wrong: { limit: 5 } },
  issue_credit: { right: { guest: "g_4711", cents: 2500 }, wrong: { guest: "4711", cents: 2500 } },
  room_rates: { right: { hotel: "h_77", day: "2026-03-01" }, wrong: { hotel: "h_77", date: "2026-03-01" } },
  create_export: { right: { kind: "pdf", day: "2026-03-01" }, wrong: { kind: "docx", day: "2026-03-01" } },
};

/** A tool's own rule, which no schema states: ids have a prefix. */
function runTool({ arguments: sent }: { name: string; id: string; arguments: string }): string {
  const { guest } = JSON.parse(sent) as { guest?: string };
  if (guest?.startsWith("g_") === false) throw new ToolInputError({ parameter: "guest", category: "not_found" });
  return "done";
}

export interface TrafficOptions {
  /** When the last runs end, in milliseconds since 1970; the first begin six hours before. */
  readonly until: number;
  /** Model turns to take at most, over all agents: time is spread over them. */
  readonly turns: number;
  /** Called after each turn: lets the exporter send, and says whether to go on. */
  readonly afterTurn: () => Promise<boolean>;
}

/** Lets agents work until it is enough; whoever is not done then leaves its run open. */
export async function runAgents({ until, turns, afterTurn }: TrafficOptions): Promise<void> {
  const random = seeded(20_260_115);
  let now = until - SPAN_OF_TIME_MS;
  const clock = () => now;
  const execute = instrumentExecutor(runTool, {
    ...{ tools: TOOLS, mode: "enforce", templateVersion: "2026-02", clock },
    onRejected: ({ message }: Error) => message,
  });
  const agents = Array.from({ length: TOGETHER }, () => newAgent(random, clock));
  for (let turn = 0; turn < turns; turn += 1) {
    now = until - SPAN_OF_TIME_MS + Math.floor((turn * SPAN_OF_TIME_MS) / turns);
    const place = Math.floor(random() * TOGETHER);
    agents[place] ??= newAgent(random, clock);
    if (!takeTurn(agents[place], random, execute)) agents[place] = newAgent(random, clock);
    if (!(await afterTurn())) return;
  }
}

interface Agent {
  readonly run: Run;
  turnsLeft: number;
  /** A tool that it has called wrongly, and how often. */
  wrong: { readonly tool: ToolName; times: number } | null;
}

function newAgent(random: () => number, clock: () => number): Agent {
  const tier = random() < 0.2 ? "gold" : "standard";
  const run = startRun({ agent: "travel", agentVersion: "7", cohort: { tenant_tier: tier }, clock });
  return { run, turnsLeft: 4 + Math.floor(random() * 8), wrong: null };
}

type Execute = (call: { name: string; id: string; arguments: string }) => string;

/** One model response with its calls; false where the run has ended with it. */
function takeTurn(agent: Agent, random: () => number, execute: Execute): boolean {
  agent.turnsLeft -= 1;
  const input = 3_000 + Math.floor(random() * 6_000);
  const turn = agent.run.turn({
    model: random() < 0.7 ? "example-large" : "example-small",
    provider: "example",
    usage: { inputTokens: input, cachedInputTokens: input - 900, outputTokens: 40 + Math.floor(random() * 300) },
    durationMs: 400 + Math.floor(random() * 1_500),
    finishReason: agent.turnsLeft === 0 ? "stop" : "tool_calls",
    toolsOffered: NAMES.length,
  });
  if (agent.turnsLeft === 0) {
    agent.run.end(agent.wrong === null ? "completed" : "escalated");
    return false;
  }
  const calls = random() < 0.1 ? 2 : 1;
  for (let index = 0; index < calls; index += 1) propose(agent, random, (call) => turn.with(() => execute(call)));
  return true;
}

function propose(agent: Agent, random: () => number, execute: Execute): void {
  const tool = agent.wrong?.tool ?? NAMES[Math.floor(random() * NAMES.length)] ?? "search_flights";
  const isWrong = random() < (agent.wrong === null ? 0.035 : 0.3);
  agent.wrong = isWrong ? { tool, times: (agent.wrong?.times ?? 0) + 1 } : null;
  if (agent.wrong !== null && agent.wrong.times > 2) agent.turnsLeft = Math.min(agent.turnsLeft, 1);
  const id = `call_${Math.floor(random() * 2 ** 48).toString(36)}`;
  try {
    execute({ name: tool, id, arguments: JSON.stringify(ARGUMENTS[tool][isWrong ? "wrong" : "right"]) });
  } catch (error) {
    if (!(error instanceof ToolInputError)) throw error;
  }
}

/** Mulberry32: a small generator of equal numbers for an equal seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
