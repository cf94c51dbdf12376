/** Starts the service: HTTP at once, the database as soon as it answers, then the background work. */
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { checkListen } from "../access/listen.ts";
import type { Config } from "../config.ts";
import type { Connection } from "../database/connect.ts";
import { DEFAULT_PROJECT_ID } from "../database/default-project.ts";
import { serviceApp } from "./app.ts";
import { reachDatabase } from "./database.ts";
import type { Log } from "./log.ts";
import { startWorker, type Worker } from "./worker.ts";

export interface ServiceOptions {
  readonly config: Config;
  readonly clock: () => Date;
  readonly log: Log;
  /** How long what is under way may take when the service is closed, before it is cut off; 5,000 if absent. */
  readonly closeMilliseconds?: number;
}

export interface Service {
  /** Where it listens: `http://127.0.0.1:4318`. */
  readonly url: string;
  /** Resolves when the database is reached and migrated; rejects with what waiting does not mend. */
  readonly ready: Promise<Connection | null>;
  /** Answers what is under way (for a few seconds: an upload that stalls is cut off then), ends the background work, closes the database. */
  close(): Promise<void>;
}

/** The address is taken, or not to be had: the message says what to do. */
export class ListenError extends Error {
  override name = "ListenError";
}

/**
 * @throws {AccessError} where the address may not be listened on like this.
 * @throws {ListenError} where the port is taken.
 */
export async function startService({
  config,
  clock,
  log,
  closeMilliseconds = 5_000,
}: ServiceOptions): Promise<Service> {
  checkListen(config);
  const stopping = new AbortController();
  let connection: Connection | null = null;
  let worker: Worker | null = null;
  const app = serviceApp({
    ...{ config, clock, log, projectId: DEFAULT_PROJECT_ID },
    connection: () => connection,
    onStored: () => worker?.wake(),
  });
  const server = createAdaptorServer({ fetch: app.fetch });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, config)));
    server.listen(config.port, config.host, resolve);
  });
  const url = urlOf(server.address() as AddressInfo);

  const ready = reachDatabase({ config, clock, log, projectId: DEFAULT_PROJECT_ID, signal: stopping.signal }).then(
    async (reached) => {
      if (reached === null) return null;
      await reached.announce(url);
      connection = reached;
      worker = startWorker({ db: reached.db, clock, log, projectId: DEFAULT_PROJECT_ID });
      return reached;
    },
  );
  // Whoever started the service hears of it by `ready`; nobody else may be ended by it.
  ready.catch(() => {});

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    stopping.abort();
    const drained = new Promise<void>((resolve) => server.close(() => resolve()));
    if ("closeIdleConnections" in server) server.closeIdleConnections();
    const cutOff = setTimeout(() => {
      if ("closeAllConnections" in server) server.closeAllConnections();
    }, closeMilliseconds);
    await drained;
    clearTimeout(cutOff);
    const reached = await ready.catch(() => null);
    await worker?.stop();
    await reached?.close();
  }
  return { url, ready, close: () => (closed ??= close()) };
}

function urlOf({ address, port, family }: AddressInfo): string {
  const host = address === "0.0.0.0" || address === "::" ? "127.0.0.1" : address;
  return `http://${family === "IPv6" && host !== "127.0.0.1" ? `[${host}]` : host}:${port}`;
}

function explain(error: NodeJS.ErrnoException, { host, port }: Config): ListenError {
  const what =
    error.code === "EADDRINUSE"
      ? `Port ${port} on ${host} is taken: another service, or an OpenTelemetry collector, listens there. Give another with --port 4319 or MULLIGAN_PORT, and tell the exporters: OTEL_EXPORTER_OTLP_ENDPOINT=http://${host}:4319.`
      : `Listening on ${host}:${port} is not possible (${error.code ?? error.message}). Give another address with --host or MULLIGAN_HOST; 127.0.0.1 is the default.`;
  return new ListenError(what, { cause: error });
}
