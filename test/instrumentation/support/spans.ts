import { type AttributeValue, type Span, SpanStatusCode } from "@opentelemetry/api";
import { NodeSDK, type NodeSDKConfiguration } from "@opentelemetry/sdk-node";

type SpanProcessor = NonNullable<NodeSDKConfiguration["spanProcessors"]>[number];
export type EndedSpan = Parameters<SpanProcessor["onEnd"]>[0];

/** The real SDK, with a processor that keeps what ended. */
export function recordSpans(others: readonly SpanProcessor[] = []) {
  const ended: EndedSpan[] = [];
  const keeper: SpanProcessor = {
    onStart(_span: Span) {},
    onEnd: (span) => void ended.push(span),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
  const sdk = new NodeSDK({
    spanProcessors: [keeper, ...others],
    autoDetectResources: false,
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  return {
    /** Takes the spans that ended since the last time. */
    take: () => ended.splice(0),
    takeOne(): EndedSpan {
      const spans = ended.splice(0);
      if (spans.length !== 1) throw new Error(`one span was expected, and ${spans.length} ended`);
      return spans[0]!;
    },
    stop: () => sdk.shutdown(),
  };
}

/** Everything textual that a span carries to a collector. */
export function textOf(span: EndedSpan): string {
  const { name, attributes, events, links, status, resource } = span;
  return JSON.stringify([name, attributes, events, links.map((link) => link.attributes), status, resource.attributes]);
}

export function attributes(span: EndedSpan): Record<string, AttributeValue | undefined> {
  return span.attributes;
}

export function isError(span: EndedSpan): boolean {
  return span.status.code === SpanStatusCode.ERROR;
}

export function parentOf(span: EndedSpan): string | undefined {
  return span.parentSpanContext?.spanId;
}

export const KEY = "a-key-of-the-tests-long-enough";
