/**
 * The whole service of a test's own: the real one on a free port, its database embedded, or on the server that
 * `MULLIGAN_TEST_DATABASE_URL` names.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Kysely } from "kysely";
import { lag } from "../../analytics/episodes/linker-lag.ts";
import { readConfig } from "../../config.ts";
import type { Database } from "../../database/schema.ts";
import { createLog } from "../../service/log.ts";
import { startService } from "../../service/service.ts";
import { createOnGivenServer } from "./database.ts";

export interface TestService {
  readonly url: string;
  readonly db: Kysely<Database>;
  /** Every line that the service logged. */
  readonly logged: readonly string[];
  /** Waits until no run waits to be assembled or linked. */
  settled(): Promise<void>;
  /** Asks the API; the parsed answer, of the type that the caller knows. */
  ask<Answer>(path: string): Promise<Answer>;
  close(): Promise<void>;
}

export interface TestServiceOptions {
  readonly clock?: () => Date;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const { clock = () => new Date(), env = {} } = options;
  const given = await createOnGivenServer();
  const parent = await mkdtemp(join(tmpdir(), "mulligan-test-"));
  const config = readConfig({
    MULLIGAN_PORT: "0",
    MULLIGAN_DATA_DIR: join(parent, "data"),
    ...(given === null ? {} : { DATABASE_URL: given.url }),
    ...env,
  });
  const logged: string[] = [];
  const service = await startService({ config, clock, log: createLog({ write: (line) => logged.push(line) }, clock) });
  const connection = await service.ready;
  if (connection === null) throw new Error("the service was stopped before its database was reached");
  const { db } = connection;
  return {
    url: service.url,
    db,
    logged,
    async settled() {
      for (;;) {
        const { waiting_to_assemble, waiting_to_link } = await lag(db, { projectId: 1 });
        if (waiting_to_assemble + waiting_to_link === 0) return;
        await pause(50);
      }
    },
    async ask<Answer>(path: string) {
      const response = await fetch(`${service.url}${path}`);
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
      return (await response.json()) as Answer;
    },
    async close() {
      await service.close();
      await given?.drop();
      await rm(parent, { recursive: true, force: true });
    },
  };
}
