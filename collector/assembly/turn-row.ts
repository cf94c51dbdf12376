/** One turn out of what its model spans say. */
import { byEnd, byStart, lastSaid, milliseconds, spanDuration } from "./order.ts";
import type { AssembledTurn, SaidOfTurn } from "./types.ts";

type Usage = Pick<AssembledTurn, "input_tokens" | "cached_input_tokens" | "cache_write_tokens" | "output_tokens">;

/** @param startTime - Where the turn has no model span: its first call's start, or the turn before. */
export function turnOf(
  inferences: readonly SaidOfTurn[],
  place: Pick<AssembledTurn, "turn" | "leg" | "turn_source">,
  startTime: number,
): AssembledTurn {
  const said = [...inferences].sort(byEnd);
  const own = said.filter((turn) => turn.record.turn !== undefined);
  const measured = own.length > 0 ? own : said;
  const first = [...inferences].sort(byStart)[0];
  return {
    ...place,
    model: lastSaid(said, (turn) => turn.record.model),
    provider: lastSaid(said, (turn) => turn.record.provider),
    ...usageOf(said, own),
    duration_ms: lastSaid(measured, (turn) => turn.record.duration_ms ?? spanDuration(turn)),
    tools_offered: lastSaid(said, (turn) => turn.record.tools_offered),
    tool_definition_tokens: lastSaid(said, (turn) => turn.record.tool_definition_tokens),
    start_time: first === undefined ? startTime : milliseconds(first.start_ns),
  };
}

/** One turn has one usage: ours if present, else the largest reported. */
function usageOf(said: readonly SaidOfTurn[], own: readonly SaidOfTurn[]): Usage {
  const ours = own.filter(statesUsage);
  if (ours.length > 0) return usage((key) => lastSaid(ours, (turn) => turn.record[key]));
  let largest: SaidOfTurn | null = null;
  for (const turn of said.filter(statesUsage)) {
    if (largest === null || total(turn) >= total(largest)) largest = turn;
  }
  return usage((key) => largest?.record[key] ?? null);
}

function usage(read: (key: keyof Usage) => number | null): Usage {
  return {
    input_tokens: read("input_tokens"),
    cached_input_tokens: read("cached_input_tokens"),
    cache_write_tokens: read("cache_write_tokens"),
    output_tokens: read("output_tokens"),
  };
}

function statesUsage({ record }: SaidOfTurn): boolean {
  return record.input_tokens !== undefined || record.output_tokens !== undefined;
}

function total({ record }: SaidOfTurn): number {
  return (record.input_tokens ?? 0) + (record.output_tokens ?? 0);
}
