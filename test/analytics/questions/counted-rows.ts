/** The numbers of answers, counted in TypeScript from the rows themselves: no rollup, no SQL. */
import { NOW, type WideCount, type WideEpisode } from "../../support/rows.ts";
import type { RandomInterval, RandomRows } from "./random-rows.ts";

export interface Counted {
  readonly calls: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly repairs: { readonly accepted: number; readonly rejected: number };
  readonly runs: number;
  readonly completion: { readonly numerator: number; readonly denominator: number; readonly pending: number };
  readonly opened: number;
  readonly settled: number;
  readonly repaired: number;
  readonly unchanged: { readonly numerator: number; readonly denominator: number };
  readonly completed: number;
  readonly extra: {
    readonly total: number;
    readonly p50: number | null;
    readonly p90: number | null;
    readonly max: number | null;
  };
  readonly tokens: number | null;
  readonly linkedByOrder: number;
  readonly rows: Readonly<Record<string, number>>;
}

export interface Asked {
  readonly interval: RandomInterval;
  /** What every call, run and episode of the group has in common. */
  readonly base: (row: WideCount | WideEpisode) => boolean;
  /** What only failed calls and episodes of the group have. */
  readonly narrow: (row: WideCount | WideEpisode) => boolean;
  /** A run stands at its first call to the tool, instead of its first call. */
  readonly perTool: boolean;
}

export const toolOf = ({ tool, tool_source }: Pick<WideCount, "tool" | "tool_source">): string =>
  tool_source === null ? tool : `${tool}@${tool_source}`;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export function counted(rows: RandomRows, { interval, base, narrow, perTool }: Asked): Counted {
  const { from, to } = interval;
  const inTime = (time: Date) => (from === null || time >= from) && (to === null || time < to);
  const links = ({ run_id }: { readonly run_id: string }) => !rows.waiting.includes(run_id);
  const among = (row: WideCount) => links(row) && inTime(row.minute as Date) && base(row);
  const calls = rows.counts.filter(among);
  const failed = calls.filter(narrow);
  const standing = rows.counts.filter((row) => among(row) && isFirst(rows.counts, row, perTool));
  const ends = standing.map(({ run_id }) => rows.runs.find((run) => run.run_id === run_id)!);
  const known = ends.filter(({ ended, outcome }) => ended && outcome !== null);
  const episodes = rows.episodes.filter(
    (row) => row.kind === "repair" && links(row) && inTime(row.opened_at as Date) && base(row) && narrow(row),
  );
  const settled = episodes.filter(({ settles_at }) => (settles_at as Date) <= NOW);
  const turns = settled.map(({ extra_model_turns }) => extra_model_turns).sort((a, b) => a - b);
  const stated = settled.flatMap(({ attributed_input_tokens }) => attributed_input_tokens ?? []);
  const comparable = settled.filter(({ unchanged_repeat }) => unchanged_repeat !== null);
  return {
    calls: sum(calls.map((row) => row.calls)),
    accepted: sum(calls.map((row) => row.first_accepted)),
    rejected: sum(failed.map((row) => row.first_rejected)),
    repairs: {
      accepted: sum(calls.map((row) => row.repair_accepted)),
      rejected: sum(failed.map((row) => row.repair_rejected)),
    },
    runs: standing.length,
    completion: {
      numerator: known.filter(({ outcome }) => outcome === "completed").length,
      denominator: known.length,
      pending: ends.filter(({ ended }) => !ended).length,
    },
    opened: episodes.length,
    settled: settled.length,
    repaired: settled.filter(({ repaired }) => repaired).length,
    unchanged: {
      numerator: comparable.filter(({ unchanged_repeat }) => unchanged_repeat).length,
      denominator: comparable.length,
    },
    completed: settled.filter(({ terminal_outcome }) => terminal_outcome === "completed").length,
    extra: {
      total: sum(turns),
      p50: turns[Math.max(0, Math.ceil(turns.length / 2) - 1)] ?? null,
      p90: turns[Math.max(0, Math.ceil((turns.length * 9) / 10) - 1)] ?? null,
      max: turns.at(-1) ?? null,
    },
    // Thirds, to nine decimals each, summed as whole numbers of billionths.
    tokens: stated.length === 0 ? null : Number(stated.reduce((total, value) => total + billionths(value), 0n)) / 1e9,
    linkedByOrder: sum(episodes.map(({ linked_order }) => linked_order)),
    rows: Object.fromEntries(
      [...new Set(settled.map(({ funnel_row }) => funnel_row))]
        .sort()
        .map((row) => [row, settled.filter(({ funnel_row }) => funnel_row === row).length]),
    ),
  };
}

function billionths(value: number): bigint {
  return BigInt(value.toFixed(9).replace(".", ""));
}

/** The run's first call, or its first to the tool, is among the row's; ties go to the row that was given first. */
function isFirst(counts: readonly WideCount[], row: WideCount, perTool: boolean): boolean {
  const of = counts.filter(
    ({ run_id, ...other }) => run_id === row.run_id && (!perTool || toolOf(other) === toolOf(row)),
  );
  const earliest = Math.min(...of.map(({ first_call_at }) => (first_call_at as Date).getTime()));
  return of.find(({ first_call_at }) => (first_call_at as Date).getTime() === earliest) === row;
}
