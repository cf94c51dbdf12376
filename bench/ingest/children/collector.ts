/** The service's side: its HTTP surface on a free port, with the background work switched on and off. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { createAdaptorServer } from "@hono/node-server";
import { lag } from "../../../analytics/episodes/linker-lag.ts";
import { readConfig } from "../../../config.ts";
import { type Connection, connect } from "../../../database/connect.ts";
import { DEFAULT_PROJECT_ID } from "../../../database/default-project.ts";
import { serviceApp } from "../../../service/app.ts";
import { startWorker, type Worker } from "../../../service/worker.ts";
import { answerCommands, type Commands } from "../child.ts";

const clock = () => new Date();
const projectId = DEFAULT_PROJECT_ID;
let connection: Connection | null = null;
let worker: Worker | null = null;
const failures: string[] = [];
const log = (event: string, fields: object = {}) => void failures.push(`${event} ${JSON.stringify(fields)}`);

async function listen({ databaseUrl }: { readonly databaseUrl: string }): Promise<{ url: string }> {
  connection = await connect({ databaseUrl });
  const config = readConfig({ DATABASE_URL: databaseUrl, MULLIGAN_PORT: "0" });
  const app = serviceApp({
    ...{ config, clock, projectId, log },
    connection: () => connection,
    onStored: () => worker?.wake(),
  });
  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces` };
}

async function startBackground(): Promise<void> {
  if (connection !== null) worker = startWorker({ db: connection.db, clock, projectId, log });
}

/** Waits until no run waits to be assembled or linked, then ends the background work. */
async function drainBackground(): Promise<void> {
  while (connection !== null) {
    const { waiting_to_assemble, waiting_to_link } = await lag(connection.db, { projectId });
    if (waiting_to_assemble + waiting_to_link === 0) break;
    if (failures.length > 0) break;
    await pause(50);
  }
  await worker?.stop();
  worker = null;
}

/** CPU time of this process so far, in microseconds, and what the service had to complain of. */
async function usage(): Promise<{ cpuMicroseconds: number; failures: string[] }> {
  const { user, system } = process.cpuUsage();
  return { cpuMicroseconds: user + system, failures: failures.splice(0) };
}

const commands = { listen, startBackground, drainBackground, usage } satisfies Commands;
/** @public the type of this script's commands */
export type CollectorCommands = typeof commands;
answerCommands(commands, async () => {
  await worker?.stop();
  await connection?.close();
});
