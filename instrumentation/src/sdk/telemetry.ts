import { writeSync } from "node:fs";
import { diag, trace } from "@opentelemetry/api";
import { limitResourceDetectors, sdkSettingsFromEnvironment } from "../environment.ts";
import type { SpanProcessor } from "./ended-span.ts";
import { flushAtExit } from "./exit.ts";
import { newOtlpExporter, warnAboutPeers } from "./peers.ts";
import { lossText, SpanQueue, spansWere } from "./span-queue.ts";

export interface Telemetry {
  flush(): Promise<void>;
  shutdown(): Promise<void>;
}

/** Starts NodeSDK with one queue and one OTLP exporter; undefined where it must not or cannot. Never rejects. */
export async function startTelemetry(): Promise<Telemetry | undefined> {
  const settings = sdkSettingsFromEnvironment();
  if (settings.disabled || settings.tracesOff) return undefined;
  if (!isNodeRecentEnough(process.versions.node)) {
    process.emitWarning(
      `mulligan: register needs Node 22.15 or later, as OpenTelemetry's SDK does, and this is ${process.versions.node}, so no spans are sent.`,
      { code: "MULLIGAN_NODE_TOO_OLD" },
    );
    return undefined;
  }
  if (hasProvider()) {
    process.emitWarning(
      "mulligan: an OpenTelemetry provider is registered already, so register changes nothing. Add " +
        "mulliganSpanProcessor() from @mulligan/instrumentation/processor to its span processors.",
      { code: "MULLIGAN_PROVIDER_EXISTS" },
    );
    return undefined;
  }
  try {
    return await start(settings);
  } catch (error) {
    warnAboutPeers("@mulligan/instrumentation/register", error);
    return undefined;
  }
}

/** The oldest Node that `@opentelemetry/sdk-node` and this package run on: on an older one every span would be lost. */
export function isNodeRecentEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 15);
}

/** The API's proxy has a tracer to delegate to exactly when somebody has registered a provider. */
function hasProvider(): boolean {
  const provider = trace.getTracerProvider() as { getDelegateTracer?: (name: string) => unknown };
  return typeof provider.getDelegateTracer !== "function" || provider.getDelegateTracer("mulligan") !== undefined;
}

async function start(settings: ReturnType<typeof sdkSettingsFromEnvironment>): Promise<Telemetry> {
  limitResourceDetectors();
  const [{ NodeSDK }, exporter] = await Promise.all([import("@opentelemetry/sdk-node"), newOtlpExporter()]);
  const queue = new SpanQueue(async () => exporter);
  const processor: SpanProcessor = {
    onStart() {},
    onEnd: (span) => queue.add(span),
    forceFlush: () => queue.flush(),
    shutdown: () => queue.shutdown(),
  };
  const sdk = new NodeSDK({
    spanProcessors: [processor],
    instrumentations: [],
    // NodeSDK would send metrics and logs as well; a collector of traces has no use for them.
    ...(settings.metricsStated ? {} : { metricReaders: [] }),
    ...(settings.logsStated ? {} : { logRecordProcessors: [] }),
  });
  sdk.start();
  if (settings.protocol !== undefined && settings.protocol !== "http/json") {
    diag.info(`mulligan: register sends OTLP as http/json; the protocol ${settings.protocol} is not used`);
  }

  let stopping: Promise<void> | undefined;
  const telemetry: Telemetry = {
    flush: () => queue.flush(),
    shutdown: () => {
      stopping ??= sdk.shutdown().catch(() => {});
      return stopping;
    },
  };
  flushAtExit({
    ...telemetry,
    waiting: () => queue.counts.waiting,
    last: () => reportLoss(queue),
  });
  return telemetry;
}

/** Written at once: nothing asynchronous runs any more when a process exits. */
function reportLoss(queue: SpanQueue): void {
  const { waiting } = queue.counts;
  const lost = lossText(queue);
  const lines = [
    ...(lost === undefined ? [] : [lost]),
    ...(waiting === 0
      ? []
      : [
          `${spansWere(waiting)} still waiting when the process ended. Before process.exit(), await shutdown() from ` +
            "@mulligan/instrumentation/register.",
        ]),
  ];
  try {
    for (const line of lines) writeSync(2, `mulligan: ${line}\n`);
  } catch {
    // Standard error is closed: there is nobody to tell.
  }
}
