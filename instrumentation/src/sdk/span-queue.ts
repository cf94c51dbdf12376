import { context, createContextKey, diag, ROOT_CONTEXT, TraceFlags } from "@opentelemetry/api";
import { batchSettingsFromEnvironment } from "../environment.ts";
import type { EndedSpan, SpanExporter } from "./ended-span.ts";

export interface SpanQueueOptions {
  /** Most spans that wait or are under way; more are dropped and counted. `OTEL_BSP_MAX_QUEUE_SIZE`, else 100,000. */
  readonly maxQueueSize?: number | undefined;
  /** Spans a request. `OTEL_BSP_MAX_EXPORT_BATCH_SIZE`, else 512. */
  readonly batchSize?: number | undefined;
  /** Longest wait of a span, in ms. `OTEL_BSP_SCHEDULE_DELAY`, else 5,000. */
  readonly delayMs?: number | undefined;
}

/** What became of the spans so far. */
export interface SpanCounts {
  readonly sent: number;
  readonly waiting: number;
  /** Never sent because the queue was full. */
  readonly dropped: number;
  /** Given to the exporter, which could not deliver them. */
  readonly failed: number;
}

/** As `@opentelemetry/core` has it: an instrumented HTTP client must not trace the export of traces. */
const SUPPRESS_TRACING = createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING");
const MOST_AT_ONCE = 4;

/**
 * A bounded queue of ended spans in front of an exporter that loses nothing in silence.
 *
 * The SDK's batch processor holds 2,048 spans and drops the rest without a word, and its flush starts all requests at
 * once, of which the OTLP exporter refuses all but 30. This one holds more, sends a few batches at a time, and counts.
 */
export class SpanQueue {
  readonly #exporter: () => Promise<SpanExporter | undefined>;
  readonly #most: number;
  readonly #batchSize: number;
  readonly #delayMs: number;
  #waiting: EndedSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Requests under way, each sending one batch after the other. */
  readonly #lanes = new Set<Promise<void>>();
  #inFlight = 0;
  #sent = 0;
  #reason: string | undefined;
  #dropped = 0;
  #failed = 0;
  #nextReport = 1;

  /** @param exporter is asked for when the first batch goes out; undefined where there is none to be had */
  constructor(exporter: () => Promise<SpanExporter | undefined>, options: SpanQueueOptions = {}) {
    const stated = batchSettingsFromEnvironment();
    this.#exporter = exporter;
    this.#most = options.maxQueueSize ?? stated.queue ?? 100_000;
    this.#batchSize = Math.min(this.#most, options.batchSize ?? stated.batch ?? 512);
    this.#delayMs = options.delayMs ?? stated.delayMs ?? 5_000;
  }

  get counts(): SpanCounts {
    const waiting = this.#waiting.length + this.#inFlight;
    return { sent: this.#sent, waiting, dropped: this.#dropped, failed: this.#failed };
  }

  get size(): number {
    return this.#most;
  }

  /** Why the latest delivery failed, in a word: `HTTP 401`, `ECONNREFUSED`. */
  get reason(): string | undefined {
    return this.#reason;
  }

  add(span: EndedSpan): void {
    if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
    if (this.#waiting.length + this.#inFlight >= this.#most) {
      this.#dropped++;
      this.#report();
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= this.#batchSize) this.#send(this.#batchSize);
    else this.#startTimer();
  }

  /**
   * Sends everything that waits. A batch that cannot be delivered ends the attempt, so that a dead collector delays an
   * exit by one export timeout and not by one for each batch. Never rejects.
   */
  async flush(): Promise<void> {
    const failed = this.#failed;
    do {
      this.#send(1);
      await Promise.all(this.#lanes);
    } while (this.#waiting.length > 0 && this.#failed === failed);
  }

  async shutdown(): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer);
    this.#failed += this.#waiting.length;
    this.#waiting = [];
    await (await this.#exporter())?.shutdown().catch(() => {});
  }

  #startTimer(): void {
    this.#timer ??= setTimeout(() => this.#send(1), this.#delayMs).unref();
  }

  /** Sends batches while at least `least` spans wait, a few at a time. */
  #send(least: number): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#lanes.size < MOST_AT_ONCE && this.#waiting.length >= least) {
      const lane: Promise<void> = this.#runLane(least).finally(() => {
        this.#lanes.delete(lane);
        if (this.#waiting.length > 0) this.#startTimer();
      });
      this.#lanes.add(lane);
    }
  }

  async #runLane(least: number): Promise<void> {
    let delivered = true;
    while (delivered && this.#waiting.length >= least) {
      const batch = this.#waiting.splice(0, this.#batchSize);
      this.#inFlight += batch.length;
      delivered = await this.#deliver(batch);
      this.#inFlight -= batch.length;
      if (delivered) this.#sent += batch.length;
      else this.#failed += batch.length;
      this.#report();
    }
  }

  async #deliver(batch: readonly EndedSpan[]): Promise<boolean> {
    try {
      const exporter = await this.#exporter();
      if (!exporter) return false;
      const pending = new Set(
        batch.map(({ resource }) => resource).filter((resource) => resource?.asyncAttributesPending),
      );
      await Promise.all([...pending].map((resource) => resource?.waitForAsyncAttributes?.()));
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const quiet = ROOT_CONTEXT.setValue(SUPPRESS_TRACING, true);
      context.with(quiet, () =>
        exporter.export(batch, ({ code, error }) => {
          if (code !== 0) this.#reason = reasonOf(error) ?? this.#reason;
          resolve(code === 0);
        }),
      );
      return await promise;
    } catch (error) {
      this.#reason = reasonOf(error) ?? this.#reason;
      return false;
    }
  }

  /** At the first lost span, and each time the loss has grown tenfold. */
  #report(): void {
    const lost = this.#dropped + this.#failed;
    if (lost < this.#nextReport) return;
    while (this.#nextReport <= lost) this.#nextReport *= 10;
    diag.warn(`mulligan: ${lossText(this)}`);
  }
}

/** A status or a code, never a text: that may hold what was sent. Looks through `cause`, where fetch and http hide it. */
function reasonOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; typeof at === "object" && at !== null && depth < 5; depth++) {
    const { code, cause } = at as { code?: unknown; cause?: unknown };
    if (typeof code === "number") return `the collector answered HTTP ${code}`;
    if (typeof code === "string" && /^[A-Z][A-Z0-9_]{1,40}$/.test(code)) return code;
    at = cause;
  }
  return error instanceof Error && /timed? ?out/i.test(error.message) ? "it did not answer in time" : undefined;
}

/** What was lost, and what to do about it; undefined where nothing was. */
export function lossText(queue: SpanQueue): string | undefined {
  const { dropped, failed } = queue.counts;
  if (dropped + failed === 0) return undefined;
  const parts: string[] = [];
  if (dropped > 0) {
    parts.push(`${dropped} dropped because ${queue.size} were waiting already: raise OTEL_BSP_MAX_QUEUE_SIZE`);
  }
  if (failed > 0) {
    const why = queue.reason === undefined ? "" : ` (${queue.reason})`;
    parts.push(
      `${failed} could not be delivered${why}: check that the collector runs at OTEL_EXPORTER_OTLP_ENDPOINT ` +
        "(default http://localhost:4318) and that OTEL_EXPORTER_OTLP_HEADERS has its token",
    );
  }
  return `${spansWere(dropped + failed)} lost: ${parts.join("; ")}.`;
}

export function spansWere(count: number): string {
  return count === 1 ? "1 span was" : `${count} spans were`;
}
