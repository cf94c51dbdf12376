/** The real OpenTelemetry SDK, our span processor and the real OTLP exporter, with every span counted where it is made. */
import { mulliganSpanProcessor } from "@mulligan/instrumentation/processor";
import { NodeSDK } from "@opentelemetry/sdk-node";
import type { ReadableSpan, SpanProcessor } from "@opentelemetry/sdk-trace";

export interface Telemetry {
  /** Spans begun so far. */
  readonly created: () => number;
  /** Waits until everything that has ended is exported; throws if a span was lost. */
  flush(): Promise<void>;
  shutdown(): Promise<void>;
}

/** Starts the SDK of this process; one at a time. `onEnd` sees every span before it is exported. */
export function startTelemetry(url: string, onEnd: (span: ReadableSpan) => void = () => {}): Telemetry {
  let created = 0;
  const counter: SpanProcessor = {
    onStart: () => {
      created += 1;
    },
    onEnd,
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const mulligan = mulliganSpanProcessor({ url: `${url}/v1/traces` });
  const sdk = new NodeSDK({ spanProcessors: [counter, mulligan], instrumentations: [] });
  sdk.start();
  return {
    created: () => created,
    async flush() {
      await mulligan.forceFlush?.();
      const { dropped, failed } = mulligan.counts;
      if (dropped + failed > 0) throw new Error(`spans were lost on the way: ${JSON.stringify(mulligan.counts)}`);
    },
    shutdown: () => sdk.shutdown(),
  };
}
