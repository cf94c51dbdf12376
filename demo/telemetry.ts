/** The real OpenTelemetry SDK of the demo's agents: a provider an environment, one queue and one exporter for all. */

import { setTimeout as pause } from "node:timers/promises";
import { mulliganSpanProcessor, type SpanCounts } from "@mulligan/instrumentation/processor";
import { context, type Tracer } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AlwaysOnSampler, type SpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { ENVIRONMENTS, type Environment } from "./traffic.ts";

/** An embedded database that is busy with linking may let a request wait; a span that is late is not lost. */
const EXPORT_TIMEOUT_MILLISECONDS = 120_000;
const SHORTEST_WAIT_MILLISECONDS = 1_000;
/** Spans that may wait before the agents make a pause: they are quicker than any database. */
const MOST_WAITING = 6_000;
const BATCH = 1_024;

export interface DemoTelemetry {
  tracer(environment: Environment): Tracer;
  /** Spans begun so far, and what became of those that ended. */
  readonly counts: SpanCounts & { readonly begun: number };
  /** Waits until the queue has room for the next runs. */
  room(): Promise<void>;
  /** Waits until everything that has ended is sent, or has failed. */
  flush(): Promise<void>;
  /** Sends what is left, and gives back what the process has only once. */
  shutdown(): Promise<void>;
}

export interface TelemetryOptions {
  /** Address of the service. */
  readonly url: string;
  /** The collector's ingest token, where it asks for one. */
  readonly token?: string | undefined;
}

export function startTelemetry({ url, token }: TelemetryOptions): DemoTelemetry {
  let begun = 0;
  const counter: SpanProcessor = {
    onStart() {
      begun += 1;
    },
    onEnd() {},
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const exporter = new OTLPTraceExporter({
    url: `${url}/v1/traces`,
    timeoutMillis: EXPORT_TIMEOUT_MILLISECONDS,
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
  });
  const queue = mulliganSpanProcessor({
    exporter,
    batchSize: BATCH,
    delayMs: SHORTEST_WAIT_MILLISECONDS,
    maxQueueSize: 10 * MOST_WAITING,
  });
  const tracers = Object.fromEntries(
    ENVIRONMENTS.map((environment) => {
      const resource = resourceFromAttributes({
        "service.name": "demo-agents",
        "deployment.environment.name": environment,
      });
      const provider = new TracerProvider({
        resource,
        sampler: new AlwaysOnSampler(),
        spanProcessors: [counter, queue as unknown as SpanProcessor],
      });
      return [environment, provider.getTracer("@mulligan/instrumentation")];
    }),
  ) as Record<Environment, Tracer>;
  const carrier = new AsyncLocalStorageContextManager().enable();
  // Runs and turns travel by context. Another one that is set already carries them as well.
  const isOurs = context.setGlobalContextManager(carrier);
  return {
    tracer: (environment) => tracers[environment],
    get counts() {
      return { ...queue.counts, begun };
    },
    async room() {
      while (queue.counts.waiting > MOST_WAITING) await pause(20);
    },
    flush: () => queue.forceFlush(),
    async shutdown() {
      await queue.shutdown();
      if (isOurs) context.disable();
    },
  };
}
