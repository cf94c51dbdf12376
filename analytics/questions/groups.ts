/** The answer about one group, made of what was counted. */
import type { EpisodeKind } from "../episodes/types.ts";
import { TERMINAL_OUTCOMES } from "../metrics/counts.ts";
import { share } from "../statistics/rate.ts";
import type { Group } from "./answer.ts";
import { byName } from "./by-name.ts";
import type { CountedGroup } from "./counts.ts";
import { detailsOf, type EpisodeDetails, funnelRows, NEXT_ACTIONS } from "./episode-details.ts";
import { measuredWhole } from "./measured.ts";
import type { GroupBy } from "./scope.ts";

/** The answer about one group by these dimensions. */
export function groupAnswer(group: CountedGroup, groupBy: readonly GroupBy[], kind: EpisodeKind): Group {
  const { calls, rejected, completion } = group.counts;
  const accepted = calls.first_accepted + calls.repair_accepted;
  const unknown = calls.repair_unknown + calls.unpaired_unknown;
  const details = detailsOf(group.episodes[kind]);
  return {
    key: Object.fromEntries(groupBy.map((by, index) => [by, keyValue(by, group.key[index] ?? null)])),
    ...measuredWhole(group, groupBy.includes("tool")),
    runs: completion.runs,
    calls: {
      total: calls.calls,
      results: calls.results,
      unanswered: calls.calls - calls.results,
      unknown_verdict: unknown,
    },
    first_attempts: {
      total: calls.first_accepted + calls.first_rejected,
      accepted: calls.first_accepted,
      rejected: rejected.first,
    },
    repair_attempts: {
      total: calls.repair_accepted + calls.repair_rejected + calls.repair_unknown,
      accepted: calls.repair_accepted,
      rejected: rejected.repair,
      unknown: calls.repair_unknown,
    },
    health: {
      not_checked: share(calls.not_validated, accepted),
      corrected: share(calls.corrected, accepted),
      ran_against_schema: share(calls.against_schema, accepted),
      unknown_verdict: share(unknown, calls.calls),
    },
    hurts: {
      unrepaired_not_completed: details.unrepaired_not_completed,
      attributed_tokens: (details.usage.input_tokens ?? 0) + (details.usage.output_tokens ?? 0),
      extra_model_turns: details.extra_model_turns,
    },
    funnel: funnelOf(group, details, kind),
  };
}

function keyValue(by: GroupBy, label: string | null): string | number | null {
  return by === "rung" && label !== null ? Number(label) : label;
}

function funnelOf(group: CountedGroup, details: EpisodeDetails, kind: EpisodeKind): Group["funnel"] {
  const episodes = group.counts[kind];
  const attempts = Object.values(details.linked).reduce((sum, count) => sum + count, 0);
  const ofSettled = (count: number) => share(count, episodes.settled);
  const state = (name: "settled" | "open", whole: number) =>
    funnelRows(group.episodes[kind], name)
      .map((row) => ({ ...row, share: share(row.episodes, whole) }))
      .sort((a, b) => rowOrder(a.row) - rowOrder(b.row) || (a.row < b.row ? -1 : 1));
  const [none, one, two, three, more] = details.distribution;
  return {
    kind,
    opened: episodes.opened,
    settled: episodes.settled,
    pending: episodes.pending,
    rows: state("settled", episodes.settled),
    open: state("open", episodes.pending),
    outcomes: byName(TERMINAL_OUTCOMES, (outcome) => ofSettled(episodes.outcomes[outcome])),
    next_actions: byName(NEXT_ACTIONS, (action) => ofSettled(details.next_actions[action])),
    extra_turns: {
      total: details.extra_model_turns,
      distribution: {
        "0": ofSettled(none),
        "1": ofSettled(one),
        "2": ofSettled(two),
        "3": ofSettled(three),
        "4+": ofSettled(more),
      },
      p50: details.p50,
      p90: details.p90,
      max: details.max,
    },
    usage: details.usage,
    usage_known: {
      input_tokens: share(details.shares_with_input_tokens, details.shares),
      output_tokens: share(details.shares_with_output_tokens, details.shares),
    },
    handovers: details.handovers,
    linked_by: byName(["explicit", "operation", "digest", "order"] as const, (name) =>
      share(details.linked[name], attempts),
    ),
  };
}

/** Repaired rows by turn, then late, then unresolved by outcome, then what is not decided. */
function rowOrder(row: string): number {
  const turn = /^repaired_turn_(\d+)$/.exec(row);
  if (turn !== null) return Number(turn[1]);
  if (row === "repaired_late") return 1_000_000;
  const outcome = TERMINAL_OUTCOMES.findIndex((name) => row === `unresolved_${name}`);
  return outcome === -1 ? 3_000_000 : 2_000_000 + outcome;
}
