/** What answers a command's questions: a server Postgres, the live server that holds the data folder, or the folder itself. */
import { existsSync } from "node:fs";
import { clientQuestions } from "../analytics/client/client.ts";
import { linkPending } from "../analytics/episodes/linker.ts";
import { databaseQuestions, type Questions } from "../analytics/questions/questions.ts";
import { assemblePending } from "../collector/assembler.ts";
import type { Config } from "../config.ts";
import { type Connection, type ConnectOptions, connect } from "../database/connect.ts";
import { DEFAULT_PROJECT_ID } from "../database/default-project.ts";
import { readLock } from "../database/lock.ts";
import { migrate, pendingMigrations } from "../database/migrate.ts";
import { CommandError } from "./command.ts";

export interface Source {
  readonly questions: Questions;
  /** Where the answers come from, in words: `the server at http://127.0.0.1:4318`. */
  readonly description: string;
  close(): Promise<void>;
}

interface Where {
  readonly config: Config;
  readonly clock: () => Date;
}

/** Opens what answers questions. Nothing is created: a folder that is not there has no answers. */
export async function openSource({ config, clock }: Where): Promise<Source> {
  if (config.databaseUrl !== undefined) return openServerDatabase(config.databaseUrl, clock);
  const holder = await readLock(config.dataDir);
  if (holder?.url !== undefined) {
    return {
      questions: clientQuestions({ url: holder.url, token: config.readToken }),
      description: `the server at ${holder.url}`,
      close: async () => {},
    };
  }
  if (holder === null && !existsSync(config.dataDir)) {
    throw new CommandError(
      `There is no database in ${config.dataDir} yet. Import a transcript (mulligan import --help) or start the server and send spans (mulligan serve); for another folder give --data-dir DIR, for a Postgres server set DATABASE_URL.`,
    );
  }
  const connection = await reach({ dataDir: config.dataDir, clock });
  return orClose(connection, async () => {
    await migrate(connection.db);
    // Nobody else works on this folder: what a stopped process left unlinked is linked here, so that it is answered.
    await assemblePending(connection.db, { projectId: DEFAULT_PROJECT_ID, clock });
    await linkPending(connection.db, { projectId: DEFAULT_PROJECT_ID, clock });
    return answering(connection, clock, `the embedded database in ${config.dataDir}`);
  });
}

/** Opens the migrated database itself, for commands that write. */
export async function openDatabase({ config, clock }: Where): Promise<Connection> {
  const { databaseUrl, dataDir } = config;
  const connection = await reach(databaseUrl === undefined ? { dataDir, clock } : { databaseUrl });
  return orClose(connection, async () => {
    await migrate(connection.db);
    return connection;
  });
}

async function openServerDatabase(databaseUrl: string, clock: () => Date): Promise<Source> {
  const connection = await reach({ databaseUrl });
  return orClose(connection, async () => {
    const pending = await pendingMigrations(connection.db);
    if (pending.length > 0) {
      throw new CommandError(
        `The database in DATABASE_URL lacks ${pending.length} of this version's migrations (${pending.join(", ")}). Run: mulligan migrate`,
      );
    }
    return answering(connection, clock, "the database in DATABASE_URL");
  });
}

function answering(connection: Connection, clock: () => Date, description: string): Source {
  return {
    questions: databaseQuestions({ db: connection.db, clock, projectId: DEFAULT_PROJECT_ID }),
    description,
    close: () => connection.close(),
  };
}

/** Whatever keeps a database from opening is explained by `connect`, and a person can mend it. */
async function reach(options: ConnectOptions): Promise<Connection> {
  return connect(options).catch((cause: unknown) => {
    throw new CommandError(cause instanceof Error ? cause.message : String(cause), { cause });
  });
}

async function orClose<Opened>(connection: Connection, open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    await connection.close();
    throw error;
  }
}
