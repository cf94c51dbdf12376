/** The loop of an agent: ask the model, run the calls that it proposes, let it read what came of them. */
import { type Run, type RunOutcome, startRun, type Usage } from "@mulligan/instrumentation";
import type { Tracer } from "@opentelemetry/api";
import { backends, type Execute } from "./executor.ts";
import type { Profile } from "./model/profiles.ts";
import { type Read, type Response, type ScriptedModel, scriptedModel } from "./model/scripted-model.ts";
import type { Draft } from "./model/slips.ts";
import { taskOf } from "./model/tasks.ts";
import { type Random, seeded } from "./random.ts";
import { shopOf } from "./shop.ts";
import type { Timeline } from "./timeline.ts";
import { TOOLS } from "./tools/tools.ts";
import type { RunPlan } from "./traffic.ts";

/** Failed turns of one tool in a row, the first one not counted, after which the loop ends the run. */
const MOST_REPEATED_FAILURES = 3;
const MOST_TURNS = 24;
/** Of the runs that the model ended well: how it really was. Nobody said of some. */
const AFTER_ALL: readonly (readonly [RunOutcome | undefined, number])[] = [
  ["completed", 93],
  ["unsuccessful", 3],
  ["escalated", 1],
  [undefined, 3],
];
/** Share of runs whose provider reports no usage. */
const WITHOUT_USAGE = 0.02;

export interface AgentOptions {
  readonly plan: RunPlan;
  readonly time: Timeline;
  readonly execute: Execute;
  readonly tracer: Tracer;
  readonly key: string;
  /** Ends the run after the turn under way; its outcome is then unknown. */
  readonly signal?: AbortSignal;
}

/** Runs one agent on one task, to its end. */
export async function runAgent({ plan, time, execute, tracer, key, signal }: AgentOptions): Promise<void> {
  const random = seeded(plan.runId);
  const shop = shopOf(random);
  const task = taskOf(random, shop, time.now());
  const { profile, texts, release } = plan;
  const model = scriptedModel({ task, profile, random, release });
  const run = startRun({
    runId: plan.runId,
    agent: task.agent,
    agentVersion: plan.agentVersion,
    ...(plan.arm === undefined ? {} : { cohort: { error_texts: plan.arm } }),
    clock: () => time.now(),
    key,
    tracer,
  });
  const loop = () => converse({ run, model, profile, time, execute, random, signal });
  const end = await backends.run({ shop, time, random: seeded(`backend ${plan.runId} ${texts.version}`) }, loop);
  if (end === undefined) run.end();
  else if (end.budget !== undefined) run.end(end.outcome, { budget: end.budget });
  else run.end(end.outcome === "completed" ? random.weighted(AFTER_ALL) : end.outcome);
}

interface Conversation {
  readonly run: Run;
  readonly model: ScriptedModel;
  readonly profile: Profile;
  readonly time: Timeline;
  readonly execute: Execute;
  readonly random: Random;
  readonly signal: AbortSignal | undefined;
}

interface End {
  readonly outcome: RunOutcome;
  readonly budget?: string;
}

/** Undefined where it was stopped. */
async function converse(conversation: Conversation): Promise<End | undefined> {
  const { run, model, time, execute, random, signal } = conversation;
  const usageOf = random.chance(WITHOUT_USAGE) ? () => undefined : usageCounter(conversation);
  const failures = new Map<string, number>();
  for (let turns = 0; turns < MOST_TURNS; turns += 1) {
    const durationMs = Math.round((500 + random.next() * random.next() * 2_600) * conversation.profile.slowness);
    await time.sleep(durationMs);
    if (signal?.aborted) return undefined;
    const response = model.respond();
    const turn = report(conversation, response, durationMs, usageOf(response));
    if ("text" in response) {
      if (response.text === "ends") return { outcome: response.outcome };
      await time.sleep(random.whole(4_000, 20_000));
      continue;
    }
    const results = await turn.with(() =>
      Promise.all(
        response.calls.map((call, place) => attempt(execute, call, `call_${run.id.slice(-6)}_${turns}_${place}`)),
      ),
    );
    for (const [place, { failed }] of results.entries()) {
      const { name } = response.calls[place]!;
      failures.set(name, failed ? (failures.get(name) ?? 0) + 1 : 0);
    }
    model.read(results);
    if (Math.max(...failures.values()) > MOST_REPEATED_FAILURES) return { outcome: "exhausted", budget: "turns" };
  }
  return { outcome: "exhausted", budget: "turns" };
}

async function attempt(execute: Execute, call: Draft, id: string): Promise<Read> {
  try {
    return { failed: false, text: await execute({ ...call, id }) };
  } catch (error) {
    return { failed: true, text: error instanceof Error ? error.message : String(error) };
  }
}

function report(
  { run, profile }: Conversation,
  response: Response,
  durationMs: number,
  usage: Usage | undefined,
): ReturnType<Run["turn"]> {
  return run.turn({
    model: profile.model,
    provider: profile.provider,
    durationMs,
    toolsOffered: TOOLS["2"].byName.size,
    finishReason: finishReason(response),
    ...(usage && { usage }),
  });
}

function finishReason(response: Response): string {
  if ("text" in response) return "stop";
  return response.calls.some(({ cutOff }) => cutOff) ? "length" : "tool_calls";
}

/** Every turn reads all that came before it, most of it from the cache. */
function usageCounter({ random, profile }: Conversation): (response: Response) => Usage {
  let inputTokens = random.whole(2_600, 3_600);
  let cachedInputTokens = 0;
  return (response) => {
    const outputTokens = "text" in response ? random.whole(60, 260) : random.whole(40, 90) * response.calls.length;
    const usage = { inputTokens, outputTokens, ...(profile.reportsCache && { cachedInputTokens }) };
    cachedInputTokens = inputTokens - (inputTokens % 128);
    inputTokens += outputTokens + random.whole(120, 420);
    return usage;
  };
}
