/** `mulligan serve`: takes spans, keeps episodes exact, answers questions, until it is stopped. */
import { AccessError } from "../access/tokens.ts";
import type { Config } from "../config.ts";
import type { Connection } from "../database/connect.ts";
import { createLog } from "../service/log.ts";
import { ListenError, type Service, startService } from "../service/service.ts";
import { type CommandContext, CommandError, defineCommand, type Output, UsageError } from "./command.ts";

const EMBEDDED_CAVEAT =
  "The embedded database is for trying, up to about a million calls: it survives kill -9, not a power cut, and one process\nholds it. For more set DATABASE_URL to a Postgres server, 15 to 18.";

/** Where OpenTelemetry's exporters send unless they are told otherwise. */
const OTLP_PORT = "4318";

export const serveCommand = defineCommand({
  name: "serve",
  summary: "Take spans at /v1/traces, keep episodes exact, answer at /api/v1.",
  details:
    "Listens on 127.0.0.1 unless told otherwise; any other address is refused without MULLIGAN_INGEST_TOKEN and\nMULLIGAN_READ_TOKEN. Ctrl-C stops it; what was acknowledged is stored.",
  options: {
    port: {
      type: "string",
      placeholder: "PORT",
      description: "Port to listen on, 0 for a free one. Default: MULLIGAN_PORT, else 4318.",
    },
    host: {
      type: "string",
      placeholder: "ADDRESS",
      description: "Address to listen on. Default: MULLIGAN_HOST, else 127.0.0.1.",
    },
  },
  examples: [
    { command: "mulligan serve", shows: "the embedded database, on http://127.0.0.1:4318" },
    {
      command: "DATABASE_URL=postgres://user@db/mulligan mulligan serve --port 4319",
      shows: "a Postgres server, another port",
    },
  ],
  async run({ values, config, ...context }) {
    const port = values.port === undefined ? config.port : portOf(values.port);
    return serveUntilStopped({ ...context, json: values.json }, { ...config, port, host: values.host ?? config.host });
  },
});

type ServeContext = Pick<CommandContext, "stdout" | "stderr" | "clock" | "signal"> & { readonly json: boolean };

/**
 * Serves until the signal aborts; `begun` runs once the database is reached. Used by `demo` too.
 *
 * @throws {CommandError} with what a person can mend.
 */
export async function serveUntilStopped(
  { stdout, stderr, clock, signal, json }: ServeContext,
  config: Config,
  begun?: (connection: Connection, service: Service) => Promise<void>,
): Promise<0> {
  const service = await startService({ config, clock, log: createLog(stderr, clock) }).catch((error: unknown) => {
    if (error instanceof AccessError || error instanceof ListenError)
      throw new CommandError(error.message, { cause: error });
    throw error;
  });
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  try {
    if (!json && config.databaseUrl !== undefined)
      stdout.write(`Listening on ${service.url}, waiting for the database.\n`);
    const connection = await Promise.race([
      service.ready.catch((error: unknown) => {
        throw new CommandError(error instanceof Error ? error.message : String(error), { cause: error });
      }),
      stopped.then(() => null),
    ]);
    if (connection !== null) {
      if (begun !== undefined) await begun(connection, service);
      announce(stdout, json, service, connection);
      await stopped;
    }
  } finally {
    await service.close();
  }
  return 0;
}

function announce(stdout: Output, json: boolean, { url }: Service, { kind }: Connection): void {
  if (json) {
    stdout.write(`${JSON.stringify({ url, traces: `${url}/v1/traces`, api: `${url}/api/v1`, database: kind })}\n`);
    return;
  }
  if (kind === "embedded") stdout.write(`${EMBEDDED_CAVEAT}\n`);
  if (new URL(url).port !== OTLP_PORT) stdout.write(`Exporters find it by OTEL_EXPORTER_OTLP_ENDPOINT=${url}\n`);
  stdout.write(`Spans go to ${url}/v1/traces, answers are at ${url}/api/v1. Ctrl-C stops.\n`);
}

/** Reads `--port`. */
export function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UsageError(
    `--port is ${JSON.stringify(text.slice(0, 40))}, expected a number from 0 to 65535. Example: --port 4319`,
  );
}
