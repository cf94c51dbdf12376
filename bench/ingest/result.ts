import { short, spreadOf, spreadText, whole } from "../measure.ts";
import type { Result } from "../question.ts";

interface Copied {
  readonly milliseconds: number;
  /** Microseconds of CPU time of the database's backends; null where it cannot be read. */
  readonly databaseCpu: number | null;
}

interface Sent extends Copied {
  /** From the first request to the moment that no run waited any more; of no meaning without background work. */
  readonly untilLinked: number;
  /** Microseconds of CPU time of the service's process. */
  readonly nodeCpu: number;
}

/** What was measured, a list a round. */
export interface IngestRounds {
  readonly copy: Copied[];
  /** Without background work. */
  readonly off: Sent[];
  /** While what has arrived is assembled and linked. */
  readonly on: Sent[];
}

export interface IngestSize {
  readonly spans: number;
  readonly requests: number;
  /** Of all bodies. */
  readonly bytes: number;
  readonly connections: number;
}

/** A prototype's throughput as a share of `\copy`'s, before there was a product. */
const PROTOTYPE = 0.27;

/** @param versions - Of the database and of what it is compared with. */
export function ingestResult(rounds: IngestRounds, size: IngestSize, versions: readonly string[]): Result {
  const { spans } = size;
  const perSecond = (each: readonly { readonly milliseconds: number }[]) =>
    spreadOf(each.map(({ milliseconds }) => (spans * 1000) / milliseconds));
  const linked = spreadOf(rounds.on.map(({ untilLinked }) => (spans * 1000) / untilLinked));
  const copy = perSecond(rounds.copy);
  const ratioOf = (rows: { readonly median: number }) => rows.median / copy.median;
  const cpu = (values: readonly (number | null)[]) =>
    values.some((value) => value === null) ? null : spreadOf(values.map((value) => (value ?? 0) / spans)).median;
  const line = (name: string, rate: typeof copy, node: number | null, database: number | null) => [
    name,
    spreadText(rate, whole),
    short(ratioOf(rate)),
    node === null ? "" : short(node),
    database === null ? "not read" : short(database),
  ];
  const [off, on] = [perSecond(rounds.off), perSecond(rounds.on)];
  const nodeCpu = {
    off: cpu(rounds.off.map((round) => round.nodeCpu)),
    on: cpu(rounds.on.map((round) => round.nodeCpu)),
  };
  const databaseCpu = {
    copy: cpu(rounds.copy.map((round) => round.databaseCpu)),
    off: cpu(rounds.off.map((round) => round.databaseCpu)),
    on: cpu(rounds.on.map((round) => round.databaseCpu)),
  };
  return {
    sizes: {
      spans: `${whole(spans)} in ${whole(size.requests)} requests, ${whole(size.bytes / spans)} bytes a span, ${size.connections} connections`,
      rounds: String(rounds.copy.length),
      versions: versions.join(", "),
    },
    tables: [
      {
        head: ["", "rows a second", "share of `\\copy`", "CPU of Node, us a row", "CPU of Postgres, us a row"],
        rows: [
          line("`psql \\copy`", copy, null, databaseCpu.copy),
          line("OTLP, nothing else at work", off, nodeCpu.off, databaseCpu.off),
          line("OTLP, assembling and linking beside", on, nodeCpu.on, databaseCpu.on),
          ["the same, until every run is linked", spreadText(linked, whole), short(ratioOf(linked)), "", ""],
        ],
      },
    ],
    notes: [
      "The requests are those of the real exporter (protobuf, not compressed), made by instrumented tools of scripted agents. They are sent by another process, which shares the cores.",
      "A row counts when its request was answered with 200: it is committed then. CPU time is that between the first request and the last answer.",
      `A prototype reached ${PROTOTYPE} of \`\\copy\` without background work.`,
    ],
    promises: [],
    numbers: {
      spans,
      rounds,
      rows_per_second: { copy, off, on, until_linked: linked },
      share_of_copy: { off: ratioOf(off), on: ratioOf(on), until_linked: ratioOf(linked) },
      cpu_us_per_row: { node: nodeCpu, database: databaseCpu },
    },
  };
}
