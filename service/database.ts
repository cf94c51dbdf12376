/** Reaches the database, however long it takes: a service starts before its Postgres does. */
import { setTimeout as pause } from "node:timers/promises";
import { applySettings } from "../analytics/episodes/linker-settings.ts";
import type { Config } from "../config.ts";
import { type Connection, connect } from "../database/connect.ts";
import { errorCode, isConnectionLost } from "../database/errors.ts";
import { migrate } from "../database/migrate.ts";
import type { Log } from "./log.ts";

const FIRST_PAUSE_MILLISECONDS = 250;
const LONGEST_PAUSE_MILLISECONDS = 10_000;

export interface ReachOptions {
  readonly config: Config;
  readonly clock: () => Date;
  readonly projectId: number;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Opens and migrates the database and applies the configured settings. A server that does not answer is tried again
 * with growing pauses; null where `signal` ended that.
 *
 * @throws what waiting does not mend: a wrong address or password, a data directory that another process holds.
 */
export async function reachDatabase(options: ReachOptions): Promise<Connection | null> {
  const { log, signal } = options;
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      return await open(options);
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      const milliseconds = Math.min(LONGEST_PAUSE_MILLISECONDS, FIRST_PAUSE_MILLISECONDS * 2 ** Math.min(tries, 10));
      log("the database does not answer", { code: errorCode(error) ?? null, again_in_ms: milliseconds });
      await pause(milliseconds, undefined, { signal }).catch(() => undefined);
    }
  }
  return null;
}

async function open({ config, clock, projectId }: ReachOptions): Promise<Connection> {
  const { databaseUrl, dataDir } = config;
  const connection = await connect(databaseUrl === undefined ? { dataDir, clock } : { databaseUrl });
  try {
    await migrate(connection.db);
    const { linkWindow, eventualWindow, settleAfterSeconds, turnBasis } = config;
    await applySettings(
      connection.db,
      { projectId, clock },
      {
        ...(linkWindow === undefined ? {} : { linkWindow }),
        ...(eventualWindow === undefined ? {} : { eventualWindow }),
        ...(settleAfterSeconds === undefined ? {} : { settleAfterSeconds }),
        ...(turnBasis === undefined ? {} : { turnBasis }),
      },
    );
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}
