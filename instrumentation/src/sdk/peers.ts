import type { SpanExporter } from "./ended-span.ts";

export interface ExporterOptions {
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The optional peer, told from another failure by its code: a peer that is present and broken must say so itself. */
function isAbsent(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
}

export async function newOtlpExporter(options: ExporterOptions = {}): Promise<SpanExporter> {
  const { OTLPTraceExporter } = await import("@opentelemetry/exporter-trace-otlp-http");
  return new OTLPTraceExporter({
    ...(options.url !== undefined && { url: options.url }),
    ...(options.headers !== undefined && { headers: { ...options.headers } }),
  }) as unknown as SpanExporter;
}

/** @param who what needs the packages */
export function warnAboutPeers(who: string, error: unknown): void {
  const packages = "@opentelemetry/sdk-node @opentelemetry/exporter-trace-otlp-http";
  process.emitWarning(
    isAbsent(error)
      ? `mulligan: ${who} needs two packages that are not installed, so no spans are sent. Install them with: npm install ${packages}`
      : `mulligan: ${who} could not start OpenTelemetry, so no spans are sent: ${error instanceof Error ? error.message : String(error)}`,
    { code: isAbsent(error) ? "MULLIGAN_PEERS_ABSENT" : "MULLIGAN_NO_TELEMETRY" },
  );
}
