import { type RawBuilder, sql } from "kysely";
import { EPISODE_COUNTERS, type EpisodeCounter } from "../episodes/linker-contributions.ts";
import type { EpisodeKind } from "../episodes/types.ts";
import type { TerminalOutcome } from "../metrics/counts.ts";
import { byName } from "./by-name.ts";
import { type Cell, cellOf, type Division, summed } from "./cells.ts";
import type { Interval } from "./interval.ts";
import { filtered } from "./relation.ts";
import { rolledEpisodes } from "./rolled-episodes.ts";
import type { Snapshot } from "./snapshot.ts";

/** Usage handed out to episodes. */
export const USAGE = [
  "model_turns",
  "input_tokens",
  "cached_input_tokens",
  "cache_write_tokens",
  "output_tokens",
  "duration_ms",
] as const;
export type UsageName = (typeof USAGE)[number];
const isUsage = (name: EpisodeCounter): name is UsageName => (USAGE as readonly string[]).includes(name);

export type WholeCounter = Exclude<EpisodeCounter, UsageName>;
const WHOLE = EPISODE_COUNTERS.filter((name): name is WholeCounter => !isUsage(name));

/** Episodes that share what they are divided by. */
export interface EpisodeCell extends Cell {
  readonly kind: EpisodeKind;
  readonly settled: boolean;
  readonly row: string;
  readonly outcome: TerminalOutcome;
  readonly extraTurns: number;
  /** The error said that the same call may work. */
  readonly transient: boolean;
  readonly counts: Readonly<Record<WholeCounter, number>>;
  /** In billionths: exact, so that sums are the same in whatever order. */
  readonly usage: Readonly<Record<UsageName, bigint>>;
}

const NOTHING = byName(WHOLE, () => 0);

/** What a timeline needs: the counters of rates. */
const OF_RATES = [
  ...["episodes", "repaired", "first_repair", "eventual_repair", "late_repair", "unchanged_repeat"],
  ...["unchanged_repeat_known", "unchanged_repeat_later", "unchanged_steps", "steps", "targeted_change"],
  ...["targeted_change_known", "first_attempt_unchanged", "first_attempt_unchanged_known"],
] as readonly WholeCounter[];

/** Episodes of the interval, of every kind, settled and pending, narrowed by every filter. */
export async function episodeCells(at: Snapshot, interval: Interval, division: Division): Promise<EpisodeCell[]> {
  const { db, scope } = at;
  const column = (name: string, value: RawBuilder<unknown> = sql.ref(`c.${name}`)) => ({ name, value });
  const whole = division.finer ? WHOLE : OF_RATES;
  const usage = division.finer ? USAGE : [];
  const { rows } = await summed({
    ...{ scope, division },
    from: rolledEpisodes(at, interval, division.grain),
    where: filtered(scope, { narrowing: true }),
    also: [
      ...["kind", "settled", "terminal_outcome", "extra_model_turns"].map((name) => column(name)),
      ...(division.finer ? [column("funnel_row")] : []),
      column("transient", sql`k.retryability is not distinct from 'as_is'`),
    ],
    sums: [
      ...whole.map((name) => column(name, sql`sum(${sql.ref(`c.${name}`)}::float8)`)),
      ...usage.map((name) => column(name, sql`sum(${sql.ref(`c.${name}`)})::numeric(38, 9)::text`)),
    ],
  }).execute(db);
  return rows
    .filter(({ episodes }) => episodes !== 0)
    .map((row) => ({
      ...cellOf(row, division),
      kind: row.kind as EpisodeKind,
      settled: row.settled as boolean,
      row: (row.funnel_row as string | undefined) ?? "",
      outcome: row.terminal_outcome as TerminalOutcome,
      extraTurns: row.extra_model_turns as number,
      transient: row.transient as boolean,
      counts: { ...NOTHING, ...(row as unknown as Record<WholeCounter, number>) },
      usage: byName(USAGE, (name) => (division.finer ? BigInt((row[name] as string).replace(".", "")) : 0n)),
    }));
}
