/** The background work: observations that wait become calls, runs that changed become episodes. */
import { setTimeout as pause } from "node:timers/promises";
import type { Kysely } from "kysely";
import { linkPending } from "../analytics/episodes/linker.ts";
import { assemblePending } from "../collector/assembler.ts";
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

export function startWorker({ db, clock, projectId, log }: WorkerOptions): Worker {
  const stopping = new AbortController();
  let woken = Promise.withResolvers<void>();

  async function work(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      try {
        woken = Promise.withResolvers<void>();
        await assemblePending(db, { clock, projectId });
        await linkPending(db, { projectId });
        failures = 0;
        await Promise.race([woken.promise, until(LOOK_ANYWAY_MILLISECONDS)]);
        await until(GATHER_MILLISECONDS);
      } catch (error) {
        failures += 1;
        // Claims are part of the transaction: what failed waits as before.
        const milliseconds = Math.min(LONGEST_PAUSE_MILLISECONDS, 500 * 2 ** Math.min(failures, 10));
        log("linking failed", { code: errorCode(error) ?? nameOf(error), again_in_ms: milliseconds });
        await until(milliseconds);
      }
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
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
