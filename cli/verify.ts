/** `mulligan verify`: are the stored episodes and rollups what the observations say? */
import { existsSync } from "node:fs";
import { formatCount, formatCountOf } from "../analytics/client/format.ts";
import { scopeOf } from "../analytics/questions/scope-query.ts";
import type { Config } from "../config.ts";
import { type Connection, connect } from "../database/connect.ts";
import { DEFAULT_PROJECT_ID } from "../database/default-project.ts";
import { readLock } from "../database/lock.ts";
import { pendingMigrations } from "../database/migrate.ts";
import type { Difference } from "../verification/differences.ts";
import { type Verification, verify } from "../verification/verify.ts";
import { CommandError, defineCommand } from "./command.ts";
import { printAnswer } from "./print-answer.ts";
import type { Terminal } from "./terminal.ts";
import { createVerifyProgress } from "./verify-progress.ts";

export const verifyCommand = defineCommand({
  name: "verify",
  summary: "Recompute what is stored from the observations, and compare row by row.",
  details: [
    "Assembles and links the runs of the range anew, in memory, and compares runs, turns, calls, counts, episodes and",
    "repair links with the stored rows, and the daily and hourly rollups with sums over them. Runs that have a call in",
    "the range are compared as a whole; rollups are compared for the whole hours and days of the range. Runs that wait to",
    "be assembled or linked are counted and not compared. Nothing is written. Exit code 1 where anything differs.",
  ].join("\n"),
  options: {
    last: {
      type: "string",
      placeholder: "DURATION",
      description: "Only so far back from now: 30m, 24h, 14d. Default: everything.",
    },
    from: { type: "string", placeholder: "TIME", description: "Only from this ISO time in UTC on." },
    to: { type: "string", placeholder: "TIME", description: "Only before this ISO time in UTC." },
  },
  examples: [
    { command: "mulligan verify", shows: "everything that the embedded database holds" },
    {
      command: "DATABASE_URL=postgres://user@db/mulligan mulligan verify --last 14d",
      shows: "a Postgres server, beside the service at work",
    },
    {
      command: "mulligan verify --from 2026-01-15 --to 2026-01-16 --json",
      shows: "one day, differences as JSON, at most 1,000 of them",
    },
  ],
  async run({ values, stdout, stderr, config, clock, signal }) {
    const query = { last: values.last, from: values.from, to: values.to };
    const timed = Object.values(query).some((value) => value !== undefined);
    const { from, to } = scopeOf(timed ? query : { last: "all" }, { projectId: DEFAULT_PROJECT_ID, asOf: clock() });
    const connection = await reach(config, clock);
    const progress = createVerifyProgress(stderr, clock);
    try {
      const options = { projectId: DEFAULT_PROJECT_ID, range: { from, to }, clock, signal };
      const verification = await verify(connection.db, { ...options, onProgress: progress.report });
      progress.clear();
      printAnswer(verification, { values, stdout, config }, verificationText);
      return verification.differences.total === 0 ? 0 : 1;
    } catch (error) {
      progress.clear();
      if (signal.aborted) throw new CommandError("Stopped before the end. Nothing was written.", { cause: error });
      throw error;
    } finally {
      await connection.close();
    }
  },
});

/** Opens the database as it is: what is not there is not made, and nothing is migrated. */
async function reach({ databaseUrl, dataDir }: Config, clock: () => Date): Promise<Connection> {
  if (databaseUrl === undefined) await refuseHeld(dataDir);
  const connection = await connect(databaseUrl === undefined ? { dataDir, clock } : { databaseUrl }).catch(
    (cause: unknown) => {
      throw new CommandError(cause instanceof Error ? cause.message : String(cause), { cause });
    },
  );
  const pending = await pendingMigrations(connection.db).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  if (pending.length === 0) return connection;
  await connection.close();
  throw new CommandError(
    `The database lacks ${pending.length} of this version's migrations (${pending.join(", ")}). Run: mulligan migrate`,
  );
}

async function refuseHeld(dataDir: string): Promise<void> {
  const holder = await readLock(dataDir);
  if (holder !== null) {
    const serving = holder.url === undefined ? "" : ` and serves ${holder.url}`;
    throw new CommandError(
      `The embedded database in ${dataDir} is open in process ${holder.pid} on ${holder.host}, since ${holder.since}${serving}; it takes one process at a time. Stop that process, then run this again. (A Postgres server in DATABASE_URL is verified beside its service.)`,
    );
  }
  if (existsSync(dataDir)) return;
  throw new CommandError(
    `There is no database in ${dataDir}, so there is nothing to verify. For another folder give --data-dir DIR, for a Postgres server set DATABASE_URL.`,
  );
}

/** Differences that a terminal shows. */
const SHOWN = 20;

function verificationText(verification: Verification, terminal: Terminal): string {
  const { tables, differences, from, to } = verification;
  const widest = Math.max(...tables.map(({ table }) => table.length));
  const rows = Math.max(...tables.map((table) => formatCount(table.rows).length));
  const shown = differences.listed.slice(0, SHOWN);
  const hidden = differences.total - shown.length;
  return [
    terminal.bold(
      `Verified ${from === null && to === null ? "everything" : `${from ?? "the first"} to ${to ?? "the last"}`}`,
    ),
    terminal.dim(runsText(verification)),
    "",
    ...tables.map((table) => {
      const differ = table.differences === 0 ? "" : terminal.bad(`  ${formatCountOf(table.differences, "difference")}`);
      return `  ${table.table.padEnd(widest)}  ${formatCount(table.rows).padStart(rows)} compared${differ}`;
    }),
    "",
    ...(differences.total === 0
      ? [terminal.good("No difference.")]
      : [terminal.bad(`${formatCountOf(differences.total, "difference")}:`), ...shown.map(differenceText)]),
    ...(hidden > 0 ? [`  and ${formatCount(hidden)} more: --json lists up to 1,000`] : []),
    "",
  ].join("\n");
}

function runsText({ runs, runs_waiting, runs_set_aside, episodes_to_roll }: Verification): string {
  return [
    `${formatCountOf(runs, "run")} compared`,
    ...(runs_waiting === 0
      ? []
      : [`${formatCountOf(runs_waiting, "run")} not compared: waiting to be assembled or linked`]),
    ...(runs_set_aside === 0 ? [] : [`${formatCountOf(runs_set_aside, "run")} not compared: cannot be assembled`]),
    ...(episodes_to_roll === 0 ? [] : [`the worker will roll ${formatCountOf(episodes_to_roll, "settled episode")}`]),
  ].join(" · ");
}

function differenceText({ table, found, key, column, stored, recomputed }: Difference): string {
  const place = Object.entries(key)
    .map(([name, value]) => `${name}=${text(value)}`)
    .join(" ");
  const what = {
    value: `${column}: stored ${text(stored)}, recomputed ${text(recomputed)}`,
    missing_row: "the row is missing",
    extra_row: "the row is stored, and nothing was recomputed for it",
  }[found];
  return `  ${table}  ${place}\n      ${what}`;
}

const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
