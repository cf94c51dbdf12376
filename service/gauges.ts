/** `/metrics` in the Prometheus text format: how far linking is behind, and what became of the spans. No labels. */
import type { Lag } from "../analytics/episodes/linker-lag.ts";
import type { ReceiveReport } from "../collector/http/app.ts";

export interface SpanCounter {
  count(report: ReceiveReport): void;
  readonly counts: Readonly<ReceiveReport>;
}

export function createSpanCounter(): SpanCounter {
  const counts = { stored: 0, known: 0, ignored: 0, refused: 0 };
  return {
    counts,
    count(report) {
      for (const name of ["stored", "known", "ignored", "refused"] as const) counts[name] += report[name];
    },
  };
}

/** Text exposition format 0.0.4 (prometheus.io, "Exposition formats"). */
export function gaugesText(lag: Lag, setAside: number, spans: Readonly<ReceiveReport>, now: Date): string {
  const waited = lag.oldest_marked_at === null ? 0 : (now.getTime() - lag.oldest_marked_at.getTime()) / 1000;
  const lines: [name: string, type: "gauge" | "counter", help: string, value: number][] = [
    [
      "mulligan_waiting_to_assemble",
      "gauge",
      "Run ids and traces whose spans are not yet assembled into calls.",
      lag.waiting_to_assemble,
    ],
    ["mulligan_waiting_to_link", "gauge", "Runs whose calls changed since they were linked.", lag.waiting_to_link],
    ["mulligan_oldest_wait_seconds", "gauge", "How long the oldest of both has been waiting.", Math.max(0, waited)],
    [
      "mulligan_units_set_aside",
      "gauge",
      "Run ids and traces that cannot be assembled. They are tried again when spans of theirs arrive, and at every start.",
      setAside,
    ],
    ["mulligan_spans_stored_total", "counter", "Spans stored by this process.", spans.stored],
    ["mulligan_spans_known_total", "counter", "Spans that were sent again.", spans.known],
    ["mulligan_spans_ignored_total", "counter", "Spans of no GenAI operation.", spans.ignored],
    ["mulligan_spans_refused_total", "counter", "Spans refused in a partial success.", spans.refused],
  ];
  return lines
    .map(([name, type, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`)
    .join("");
}
