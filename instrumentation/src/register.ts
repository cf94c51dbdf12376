/**
 * `node --import @mulligan/instrumentation/register agent.mjs`: sets up OpenTelemetry's NodeSDK and its OTLP/HTTP
 * exporter from the standard `OTEL_*` variables, and sends what is queued when the process ends.
 *
 * `process.exit()` cannot wait for that: `await shutdown()` first.
 *
 * @module
 */
import { startTelemetry } from "./sdk/telemetry.ts";

const telemetry = await startTelemetry();

/** Sends what is queued, and goes on. Never rejects. */
export function flush(): Promise<void> {
  return telemetry?.flush() ?? Promise.resolve();
}

/** Sends what is queued and stops: to be awaited before `process.exit()`. Never rejects. */
export function shutdown(): Promise<void> {
  return telemetry?.shutdown() ?? Promise.resolve();
}

export { type MulliganSpanProcessor, type MulliganSpanProcessorOptions, mulliganSpanProcessor } from "./processor.ts";
