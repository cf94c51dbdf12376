/**
 * What the rollups of one day must hold: sums over the rows of `run_count` and the episodes that they are made of. Pure,
 * and apart from the statements with which the linker writes them: two ways to one number.
 */
import type { CallCounters, EpisodeCounters } from "../database/schema.ts";
import { decimalText } from "./nine-decimals.ts";
import { startOfDay, startOfHour } from "./range.ts";
import { type CallPart, callsOf, countsOf, type EpisodePart, type Time, type Usage, usageOf } from "./rollup-parts.ts";

/** A row's key, then its sums as text. */
export interface RollupRow {
  readonly bucket: string;
  readonly cohort_id: string;
  readonly [column: string]: string | number;
}

type Key = Pick<RollupRow, "bucket" | "cohort_id"> & Readonly<Record<string, string | number>>;

/** Rows of one rollup, by key. */
class Sums<Counter extends string> {
  readonly #rows = new Map<string, { readonly key: Key; readonly sums: Record<Counter, bigint> }>();

  add(key: Key, part: Readonly<Record<Counter, number | bigint>>): void {
    const text = JSON.stringify(Object.values(key));
    const counters = Object.entries(part) as [Counter, number | bigint][];
    const row = this.#rows.get(text);
    if (row === undefined) {
      const sums = Object.fromEntries(counters.map(([name, value]) => [name, BigInt(value)]));
      this.#rows.set(text, { key, sums: sums as Record<Counter, bigint> });
    } else for (const [name, value] of counters) row.sums[name] += BigInt(value);
  }

  rows(): RollupRow[] {
    return [...this.#rows.values()].map(({ key, sums }) => ({ ...key, ...texts(sums) }));
  }
}

const USAGE: readonly string[] = [
  "model_turns",
  "input_tokens",
  "cached_input_tokens",
  "cache_write_tokens",
  "output_tokens",
  "duration_ms",
] satisfies Usage[];

/** Sums of one day, by day and by hour. */
export class RollupSums {
  readonly #calls = { day: new Sums<keyof CallCounters<unknown>>(), hour: new Sums<keyof CallCounters<unknown>>() };
  readonly #episodes = {
    day: new Sums<keyof EpisodeCounters<unknown>>(),
    hour: new Sums<keyof EpisodeCounters<unknown>>(),
  };

  addCalls(part: CallPart): void {
    const counters = callsOf(part);
    const at = timeOf(part.minute);
    const { cohort_id } = part;
    this.#calls.day.add({ bucket: isoOf(startOfDay(at)), cohort_id }, counters);
    this.#calls.hour.add({ bucket: isoOf(startOfHour(at)), cohort_id }, counters);
  }

  /** @param part - An episode that the rollups hold. */
  addEpisode(part: EpisodePart): void {
    const counters = { ...countsOf(part), ...usageOf(part) };
    const at = timeOf(part.opened_at);
    const { cohort_id, kind, funnel_row, terminal_outcome, extra_model_turns } = part;
    const key = { cohort_id, kind, funnel_row, terminal_outcome, extra_model_turns };
    this.#episodes.day.add({ bucket: isoOf(startOfDay(at)), ...key }, counters);
    this.#episodes.hour.add({ bucket: isoOf(startOfHour(at)), ...key }, counters);
  }

  /** As rows of `call_day` or `call_hour`, sums as text. */
  callRows(per: "day" | "hour"): RollupRow[] {
    return this.#calls[per].rows();
  }

  /** As rows of `episode_day` or `episode_hour`, sums as text. */
  episodeRows(per: "day" | "hour"): RollupRow[] {
    return this.#episodes[per].rows();
  }
}

function texts(sums: Readonly<Record<string, bigint>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(sums).map(([name, sum]) => [name, USAGE.includes(name) ? decimalText(sum) : String(sum)]),
  );
}

const timeOf = (time: Time): number => new Date(time).getTime();
const isoOf = (time: number): string => new Date(time).toISOString();
