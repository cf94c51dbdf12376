/** The only reader of `process.env` in this package. An empty variable counts as absent. */
function read(name: string): string | undefined {
  const value = process.env[name];
  return value === undefined || value.trim() === "" ? undefined : value;
}

/** Key of signatures and digests, the same in all processes of a project. */
export function signingKeyFromEnvironment(): string | undefined {
  return read("MULLIGAN_SIGNING_KEY");
}

/** Settings of the batch queue, by OpenTelemetry's own variables; a value that is no positive integer is absent. */
export function batchSettingsFromEnvironment(): { queue?: number; batch?: number; delayMs?: number } {
  const queue = positiveInteger("OTEL_BSP_MAX_QUEUE_SIZE");
  const batch = positiveInteger("OTEL_BSP_MAX_EXPORT_BATCH_SIZE");
  const delayMs = positiveInteger("OTEL_BSP_SCHEDULE_DELAY");
  return { ...(queue && { queue }), ...(batch && { batch }), ...(delayMs && { delayMs }) };
}

function positiveInteger(name: string): number | undefined {
  const value = Number(read(name));
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** What of the SDK's set-up the user has taken into their own hands, by the standard variables. */
export function sdkSettingsFromEnvironment(): {
  disabled: boolean;
  tracesOff: boolean;
  metricsStated: boolean;
  logsStated: boolean;
  protocol: string | undefined;
} {
  return {
    disabled: read("OTEL_SDK_DISABLED")?.trim().toLowerCase() === "true",
    tracesOff: read("OTEL_TRACES_EXPORTER")?.trim() === "none",
    metricsStated: read("OTEL_METRICS_EXPORTER") !== undefined,
    logsStated: read("OTEL_LOGS_EXPORTER") !== undefined,
    protocol: (read("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") ?? read("OTEL_EXPORTER_OTLP_PROTOCOL"))?.trim(),
  };
}

/**
 * Leaves out the resource detectors that record command lines, user and host names, unless the user has named
 * detectors: command lines hold secrets.
 */
export function limitResourceDetectors(): void {
  if (read("OTEL_NODE_RESOURCE_DETECTORS") === undefined)
    process.env.OTEL_NODE_RESOURCE_DETECTORS = "env,serviceinstance";
}
