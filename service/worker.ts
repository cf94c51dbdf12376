/**
 * The background work: observations that wait become calls, runs that changed become episodes, episodes that have settled
 * enter the rollups. A share of each in turn: where spans never cease to arrive, episodes are there all the same.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Kysely } from "kysely";
import { linkSome } from "../analytics/episodes/linker.ts";
import { settleSome } from "../analytics/episodes/linker-settling.ts";
import { assembleSome } from "../collector/assembler.ts";
import { retrySetAside } from "../collector/set-aside.ts";
import { errorCode } from "../database/errors.ts";
import type { Database } from "../database/schema.ts";
import type { Log } from "./log.ts";

export interface WorkerOptions {
  readonly db: Kysely<Database>;
  readonly clock: () => Date;
  readonly projectId: number;
  readonly log: Log;
}

export interface Worker {
  /** Something was stored: look soon. Cheap, and never throws. */
  wake(): void;
  /** Ends after the transaction at work. */
  stop(): Promise<void>;
}

/** Spans of one run come in several requests: waiting this long assembles such a run once instead of often. */
const GATHER_MILLISECONDS = 250;
/** Other processes write into the same database and wake only themselves. */
const LOOK_ANYWAY_MILLISECONDS = 5_000;
const LONGEST_PAUSE_MILLISECONDS = 30_000;

/** How it stands with work that has not failed; `notBefore` in milliseconds of `performance.now()`. */
const FRESH = { failures: 0, notBefore: 0 };

export function startWorker({ db, clock, projectId, log }: WorkerOptions): Worker {
  const stopping = new AbortController();
  let woken = Promise.withResolvers<void>();

  const { signal } = stopping;
  let begun = false;
  const stages = [
    {
      failure: "assembling failed",
      async work() {
        if (!begun) await retrySetAside(db, projectId, clock());
        begun = true;
        const onSetAside = (error: unknown) => log("a run was set aside", { code: codeOf(error) });
        return (await assembleSome(db, { clock, projectId, signal, onSetAside })).units;
      },
      ...FRESH,
    },
    { failure: "linking failed", work: () => linkSome(db, { projectId, clock }), ...FRESH },
    { failure: "settling failed", work: () => settleSome(db, { projectId, clock }), ...FRESH },
  ];

  async function work(): Promise<void> {
    while (!signal.aborted) {
      woken = Promise.withResolvers<void>();
      let moved = 0;
      for (const stage of stages) {
        // What fails does not hold the others up.
        if (signal.aborted || performance.now() < stage.notBefore) continue;
        try {
          moved += await stage.work();
          Object.assign(stage, FRESH);
        } catch (error) {
          stage.failures += 1;
          // Claims are part of the transaction: what failed waits as before.
          const milliseconds = Math.min(LONGEST_PAUSE_MILLISECONDS, 500 * 2 ** Math.min(stage.failures, 10));
          stage.notBefore = performance.now() + milliseconds;
          log(stage.failure, { code: codeOf(error), again_in_ms: milliseconds });
        }
      }
      if (moved > 0) continue;
      const due = stages.map(({ notBefore }) => notBefore - performance.now()).filter((left) => left > 0);
      await Promise.race([woken.promise, until(Math.min(LOOK_ANYWAY_MILLISECONDS, ...due))]);
      await until(GATHER_MILLISECONDS);
    }
  }

  /** A pause that `stop` ends early. */
  const until = (milliseconds: number) =>
    pause(milliseconds, undefined, { signal: stopping.signal }).catch(() => undefined);

  const ended = work();
  return {
    wake: () => woken.resolve(),
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

/** The class of an error, never its text: it may hold what was sent. */
function codeOf(error: unknown): string {
  return errorCode(error) ?? (error instanceof Error ? error.name : typeof error);
}
