/** What became of the settled episodes of a group, and what they cost: sums over its cells. */
import type { NextAction } from "../episodes/types.ts";
import type { Group } from "./answer.ts";
import { byName } from "./by-name.ts";
import { type EpisodeCell, USAGE, type UsageName, type WholeCounter } from "./episode-cells.ts";
import { percentile } from "./percentile.ts";

export const NEXT_ACTIONS = [
  "repaired_next_turn",
  "repaired_later",
  "repeated_unchanged",
  "changed_still_invalid",
  "not_known",
  "changed_direction",
  "gave_up",
] as const satisfies readonly NextAction[];

type Usage = Group["funnel"]["usage"];

export interface EpisodeDetails {
  readonly next_actions: Readonly<Record<NextAction, number>>;
  readonly extra_model_turns: number;
  /** Episodes by their extra turns, from 0 to 3, and 4 or more. */
  readonly distribution: readonly [number, number, number, number, number];
  /** Null where nothing has settled. */
  readonly p50: number | null;
  readonly p90: number | null;
  readonly max: number | null;
  readonly usage: Usage;
  readonly shares: number;
  readonly shares_with_input_tokens: number;
  readonly shares_with_output_tokens: number;
  /** Unrepaired episodes of runs that ended escalated or exhausted. */
  readonly handovers: number;
  readonly unrepaired_not_completed: number;
  readonly linked: Readonly<Record<"explicit" | "operation" | "digest" | "order", number>>;
  /** What lists are ordered by, weighted by risk: never shown. */
  readonly hurt: { readonly unrepaired: number; readonly tokens: number; readonly extraTurns: number };
}

/** Weight of an episode in lists of what hurts most, by the risk class of its tool. */
const riskWeight = (risk: string | null): number => (risk === "read" ? 1 : risk === "write_reversible" ? 3 : 10);

/** Sums the episodes of one kind. Links are of all of them, everything else of the settled ones. */
export function detailsOf(episodes: readonly EpisodeCell[]): EpisodeDetails {
  const settled = episodes.filter((cell) => cell.settled);
  const sum = (name: WholeCounter, cells = settled) => cells.reduce((total, { counts }) => total + counts[name], 0);
  const count = (cells: readonly EpisodeCell[]) => sum("episodes", [...cells]);
  const turns = settled.map(({ extraTurns, counts }) => ({ value: extraTurns, weight: counts.episodes }));
  const extra = ({ extraTurns, counts }: EpisodeCell) => extraTurns * counts.episodes;
  const unrepaired = ({ counts }: EpisodeCell) => counts.episodes - counts.repaired;
  const hurting = settled.filter(({ outcome }) => outcome !== "completed");
  const handed = settled.filter(({ outcome }) => outcome === "escalated" || outcome === "exhausted");
  const weighted = (cells: readonly EpisodeCell[], value: (cell: EpisodeCell) => number) =>
    cells.reduce((total, cell) => total + riskWeight(cell.risk) * value(cell), 0);
  const tokens = settled.reduce(
    (total, { risk, usage }) => total + BigInt(riskWeight(risk)) * (usage.input_tokens + usage.output_tokens),
    0n,
  );
  const some = turns.filter(({ weight }) => weight > 0);
  return {
    next_actions: byName(NEXT_ACTIONS, (action) => sum(`next_${action}`)),
    extra_model_turns: settled.reduce((total, cell) => total + extra(cell), 0),
    distribution: [0, 1, 2, 3, 4].map((number) =>
      count(settled.filter(({ extraTurns }) => (number === 4 ? extraTurns >= 4 : extraTurns === number))),
    ) as [number, number, number, number, number],
    p50: percentile(some, 0.5),
    p90: percentile(some, 0.9),
    max: percentile(some, 1),
    usage: usageOf(settled),
    shares: sum("shares"),
    shares_with_input_tokens: sum("shares_with_input_tokens"),
    shares_with_output_tokens: sum("shares_with_output_tokens"),
    handovers: handed.reduce((total, cell) => total + unrepaired(cell), 0),
    unrepaired_not_completed: hurting.reduce((total, cell) => total + unrepaired(cell), 0),
    linked: {
      explicit: sum("linked_explicit", [...episodes]),
      operation: sum("linked_operation", [...episodes]),
      digest: sum("linked_digest", [...episodes]),
      order: sum("linked_order", [...episodes]),
    },
    hurt: {
      unrepaired: weighted(hurting, unrepaired),
      tokens: toNumber(tokens),
      extraTurns: weighted(settled, extra),
    },
  };
}

/** Rows of the funnel: the settled ones, or the open funnel so far. */
export function funnelRows(episodes: readonly EpisodeCell[], state: "settled" | "open") {
  const rows = new Map<string, EpisodeCell[]>();
  for (const cell of episodes.filter(({ settled }) => settled === (state === "settled"))) {
    const row = rows.get(cell.row);
    if (row === undefined) rows.set(cell.row, [cell]);
    else row.push(cell);
  }
  return [...rows].map(([row, cells]) => ({
    row,
    episodes: cells.reduce((total, { counts }) => total + counts.episodes, 0),
    extra_model_turns: cells.reduce((total, { extraTurns, counts }) => total + extraTurns * counts.episodes, 0),
    usage: usageOf(cells),
  }));
}

/** Usage handed out to the episodes; null where no turn that was handed out stated it. */
function usageOf(cells: readonly EpisodeCell[]): Usage {
  const known = (name: UsageName) =>
    name === "model_turns" ? cells.length > 0 : cells.some(({ counts }) => counts[`${name}_known`] > 0);
  const total = (name: UsageName) => cells.reduce((sum, { usage }) => sum + usage[name], 0n);
  return byName(USAGE, (name) => (known(name) ? toNumber(total(name)) : null));
}

function toNumber(billionths: bigint): number {
  return Number(billionths) / 1e9;
}
