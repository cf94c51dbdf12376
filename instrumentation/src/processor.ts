/**
 * For an application that has its OpenTelemetry provider already: a span processor that is added beside the others.
 *
 * @module
 */
import type { Attributes, Context, Span } from "@opentelemetry/api";
import { runIn, turnIn } from "./runs/context.ts";
import type { EndedSpan, SpanExporter, SpanProcessor } from "./sdk/ended-span.ts";
import { newOtlpExporter, warnAboutPeers } from "./sdk/peers.ts";
import { type SpanCounts, SpanQueue, type SpanQueueOptions } from "./sdk/span-queue.ts";
import * as semconv from "./semconv.ts";

export type { EndedSpan, SpanExporter, SpanProcessor } from "./sdk/ended-span.ts";
export type { SpanCounts, SpanQueueOptions } from "./sdk/span-queue.ts";

export interface MulliganSpanProcessorOptions extends SpanQueueOptions {
  /** Address of the collector's traces endpoint, such as `http://localhost:4318/v1/traces`; else by `OTEL_EXPORTER_OTLP_*`. */
  readonly url?: string | undefined;
  /** The collector's ingest token, sent as a bearer token. */
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** An exporter of your own in place of OTLP over HTTP. */
  readonly exporter?: SpanExporter | undefined;
}

export interface MulliganSpanProcessor extends SpanProcessor {
  /** What became of the spans so far. */
  readonly counts: SpanCounts;
}

/** Stamps that stand on every span of a run: alone they make a span none of ours. */
const STAMPS = new Set([semconv.ATTR_RUN_ID, semconv.ATTR_RUN_LEG, semconv.ATTR_TURN_INDEX, semconv.ATTR_TURN_SOURCE]);
const INFERENCES = new Set(["chat", "text_completion", "generate_content", "embeddings"]);

/**
 * Forwards the spans of GenAI operations, and those with `mulligan.*` attributes, to a collector of its own; the
 * application's other processors and exporters are untouched. Spans that start inside a run are stamped with its id (and
 * the turn's index), so that other instrumentations' spans find their run.
 *
 * Needs `@opentelemetry/exporter-trace-otlp-http` where no exporter is given; it is loaded with the first batch.
 */
export function mulliganSpanProcessor(options: MulliganSpanProcessorOptions = {}): MulliganSpanProcessor {
  let exporter: Promise<SpanExporter | undefined> | undefined;
  const queue = new SpanQueue(() => (exporter ??= openExporter(options)), options);
  return {
    onStart: stamp,
    onEnd(span) {
      if (isOurs(span)) queue.add(span);
    },
    forceFlush: () => queue.flush(),
    shutdown: () => queue.shutdown(),
    get counts() {
      return queue.counts;
    },
  };
}

async function openExporter(options: MulliganSpanProcessorOptions): Promise<SpanExporter | undefined> {
  if (options.exporter) return options.exporter;
  const bearer = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
  const headers = { ...options.headers, ...bearer };
  try {
    return await newOtlpExporter({ url: options.url, ...(Object.keys(headers).length > 0 && { headers }) });
  } catch (error) {
    warnAboutPeers("mulliganSpanProcessor", error);
    return undefined;
  }
}

function stamp(span: Span, parentContext: Context): void {
  const run = runIn(parentContext);
  if (!run) return;
  const { attributes = {} } = span as Span & { readonly attributes?: Attributes };
  const stamps: Attributes = {};
  for (const name of [semconv.ATTR_RUN_ID, semconv.ATTR_RUN_LEG]) {
    if (attributes[name] === undefined && run.attributes[name] !== undefined) stamps[name] = run.attributes[name];
  }
  // An inference begins before its turn is reported: the turn around it is the one before, or that of the tool that asks.
  const turn = turnIn(parentContext);
  const isInference = INFERENCES.has(String(attributes[semconv.ATTR_GEN_AI_OPERATION_NAME]));
  if (turn && !isInference && attributes[semconv.ATTR_TURN_INDEX] === undefined)
    stamps[semconv.ATTR_TURN_INDEX] = turn.index;
  span.setAttributes(stamps);
}

function isOurs({ attributes }: EndedSpan): boolean {
  for (const name in attributes) {
    if (name.startsWith("gen_ai.") || (name.startsWith("mulligan.") && !STAMPS.has(name))) return true;
  }
  return false;
}
