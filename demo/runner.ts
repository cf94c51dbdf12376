/** Runs the demo's agents: those of the past as quickly as it goes, and then one after the other in real time. */
import { setTimeout as pause } from "node:timers/promises";
import { runAgent } from "./agent.ts";
import { createExecutor, type Execute } from "./executor.ts";
import { seeded } from "./random.ts";
import type { DemoTelemetry } from "./telemetry.ts";
import { inventedTime, realTime } from "./timeline.ts";
import { TOOLS } from "./tools/tools.ts";
import { liveRun, pastRuns, type RunPlan, runIdPrefix, type TrafficOptions } from "./traffic.ts";

export interface RunnerOptions extends TrafficOptions {
  readonly telemetry: Pick<DemoTelemetry, "tracer" | "room">;
  /** Key of signatures and digests. */
  readonly key: string;
}

export interface Runner {
  /** Begins the id of every run. */
  readonly runIdPrefix: string;
  /**
   * Runs the agents of the fourteen days before the start; ends early where the signal aborts.
   *
   * @param onRun hears how many runs are over
   */
  past(runs: number, signal: AbortSignal, onRun: (done: number) => void): Promise<void>;
  /** Begins a run every few seconds until the signal aborts, and resolves when those under way have ended. Throws what a run threw. */
  live(clock: () => Date, signal: AbortSignal): Promise<void>;
}

/** Seconds between two live runs. */
const PAUSE = { least: 2, most: 5 };

export function createRunner(options: RunnerOptions): Runner {
  const { telemetry, key } = options;
  const executors = new Map<string, Execute>();
  function executorFor({ environment, texts, release }: RunPlan): Execute {
    const name = `${environment} ${texts.version} ${release}`;
    const known = executors.get(name);
    if (known !== undefined) return known;
    const made = createExecutor({ tools: TOOLS[release], texts, tracer: telemetry.tracer(environment), key });
    executors.set(name, made);
    return made;
  }
  const parts = (plan: RunPlan) => ({
    ...{ plan, key, execute: executorFor(plan), tracer: telemetry.tracer(plan.environment) },
  });
  return {
    runIdPrefix: runIdPrefix(options),
    async past(runs, signal, onRun) {
      for (const [index, plan] of pastRuns(options, runs).entries()) {
        if (signal.aborted) return;
        await runAgent({ ...parts(plan), time: inventedTime(plan.startedAt) });
        await telemetry.room();
        onRun(index + 1);
      }
    },
    async live(clock, signal) {
      const random = seeded(`${runIdPrefix(options)}live`);
      const fault = new AbortController();
      const ends = AbortSignal.any([signal, fault.signal]);
      const time = realTime(clock, ends);
      const underWay = new Set<Promise<void>>();
      for (let index = 0; !ends.aborted; index += 1) {
        const plan = liveRun(options, time.now(), index);
        const run = runAgent({ ...parts(plan), time, signal: ends })
          .catch((error: unknown) => fault.abort(error))
          .finally(() => underWay.delete(run));
        underWay.add(run);
        const milliseconds = random.whole(PAUSE.least * 1_000, PAUSE.most * 1_000);
        await pause(milliseconds, undefined, { signal: ends }).catch(() => undefined);
      }
      await Promise.all(underWay);
      fault.signal.throwIfAborted();
    },
  };
}
