/**
 * What is needed of the OpenTelemetry SDK's span processors and exporters, by shape: SDK 2 and 3 name their packages
 * differently, and whoever only wraps an executor must not install either.
 */
import type { Attributes, Context, Span, SpanContext } from "@opentelemetry/api";

export interface EndedSpan {
  readonly name: string;
  readonly attributes: Attributes;
  readonly resource?: {
    readonly asyncAttributesPending?: boolean;
    waitForAsyncAttributes?(): Promise<void>;
  };
  spanContext(): SpanContext;
}

export interface SpanProcessor {
  onStart(span: Span, parentContext: Context): void;
  onEnd(span: EndedSpan): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

export interface SpanExporter {
  export(
    spans: readonly EndedSpan[],
    done: (result: { readonly code: number; readonly error?: unknown }) => void,
  ): void;
  shutdown(): Promise<void>;
}
