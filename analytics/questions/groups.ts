import type { Kysely } from "kysely";
import type { Database } from "../../database/schema.ts";
import type { EpisodeKind } from "../episodes/types.ts";
import { NO_COUNTS, TERMINAL_OUTCOMES } from "../metrics/counts.ts";
import { share } from "../statistics/rate.ts";
import type { Group } from "./answer.ts";
import { type CountedGroup, countGroups } from "./counts.ts";
import {
  byName,
  type EpisodeDetails,
  episodeDetails,
  funnelRows,
  linkEvidence,
  NEXT_ACTIONS,
  type UsageColumn,
} from "./episode-details.ts";
import type { GroupedRow } from "./grouped.ts";
import { measuredWhole } from "./measured.ts";
import type { Bounds } from "./relation.ts";
import type { GroupBy, Scope } from "./scope.ts";

type FunnelRow = GroupedRow<"episodes" | "extra_model_turns" | UsageColumn>;

/** Everything that was counted for the groups of a scope. */
export interface CountedGroups {
  readonly groupBy: readonly GroupBy[];
  readonly groups: readonly CountedGroup[];
  detailsOf(key: CountedGroup["key"], kind: EpisodeKind): EpisodeDetails | undefined;
  rowsOf(key: CountedGroup["key"], kind: EpisodeKind): readonly FunnelRow[];
  evidenceOf(key: CountedGroup["key"], kind: EpisodeKind): ReadonlyMap<string | null, number>;
}

/** Counts the groups and what became of their episodes. */
export async function countAll(
  db: Kysely<Database>,
  scope: Scope,
  place: { readonly groupBy: readonly GroupBy[]; readonly bounds: Bounds },
): Promise<CountedGroups> {
  const groups = await countGroups(db, scope, place);
  const details = lists(await episodeDetails(db, scope, place));
  const rows = lists(await funnelRows(db, scope, place));
  const evidence = lists(await linkEvidence(db, scope, place));
  return {
    groupBy: place.groupBy,
    groups,
    detailsOf: (key, kind) => details(key, kind)[0]?.counts,
    rowsOf: rows,
    evidenceOf: (key, kind) =>
      new Map(evidence(key, kind).map(({ also, counts }) => [also[1] ?? null, counts.attempts])),
  };
}

/** Finds the rows of one group and kind. */
function lists<Column extends string>(rows: readonly GroupedRow<Column>[]) {
  const found = new Map<string, GroupedRow<Column>[]>();
  for (const row of rows) {
    const id = JSON.stringify([row.key, row.also[0]]);
    found.set(id, [...(found.get(id) ?? []), row]);
  }
  return (key: CountedGroup["key"], kind: EpisodeKind) => found.get(JSON.stringify([key, kind])) ?? [];
}

/** A group that nothing was counted for. */
export const EMPTY_GROUP: CountedGroup = { key: [], counts: NO_COUNTS, risks: [], tools: [] };

/** The answer about one group. */
export function groupAnswer(all: CountedGroups, group: CountedGroup, kind: EpisodeKind): Group {
  const { calls, rejected } = group.counts;
  const accepted = calls.first_accepted + calls.repair_accepted;
  const unknown = calls.repair_unknown + calls.unpaired_unknown;
  const details = all.detailsOf(group.key, kind);
  return {
    key: Object.fromEntries(all.groupBy.map((by, index) => [by, keyValue(by, group.key[index] ?? null)])),
    ...measuredWhole(group, all.groupBy.includes("tool")),
    runs: calls.runs,
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
      unrepaired_not_completed: details?.unrepaired_not_completed ?? 0,
      attributed_tokens: (details?.attributed_input_tokens ?? 0) + (details?.attributed_output_tokens ?? 0),
      extra_model_turns: details?.extra_model_turns ?? 0,
    },
    funnel: funnelOf(all, group, kind),
  };
}

function keyValue(by: GroupBy, label: string | null): string | number | null {
  return by === "rung" && label !== null ? Number(label) : label;
}

function funnelOf(all: CountedGroups, group: CountedGroup, kind: EpisodeKind): Group["funnel"] {
  const episodes = group.counts[kind];
  const details = all.detailsOf(group.key, kind);
  const rows = all.rowsOf(group.key, kind);
  const evidence = all.evidenceOf(group.key, kind);
  const attempts = [...evidence.values()].reduce((sum, count) => sum + count, 0);
  const ofSettled = (count: number | undefined) => share(count ?? 0, episodes.settled);
  const state = (name: string, whole: number) =>
    rows
      .filter(({ also }) => also[1] === name)
      .map(({ also, counts }) => ({
        row: also[2] ?? "",
        episodes: counts.episodes,
        share: share(counts.episodes, whole),
        extra_model_turns: counts.extra_model_turns,
        usage: usageOf(counts),
      }))
      .sort((a, b) => rowOrder(a.row) - rowOrder(b.row) || (a.row < b.row ? -1 : 1));
  return {
    kind,
    opened: episodes.opened,
    settled: episodes.settled,
    pending: episodes.pending,
    rows: state("settled", episodes.settled),
    open: state("open", episodes.pending),
    outcomes: byName(TERMINAL_OUTCOMES, (outcome) => ofSettled(episodes.outcomes[outcome])),
    next_actions: byName(NEXT_ACTIONS, (action) => ofSettled(details?.[action])),
    extra_turns: {
      total: details?.extra_model_turns ?? 0,
      distribution: {
        "0": ofSettled(details?.extra_turns_0),
        "1": ofSettled(details?.extra_turns_1),
        "2": ofSettled(details?.extra_turns_2),
        "3": ofSettled(details?.extra_turns_3),
        "4+": ofSettled(details?.extra_turns_4),
      },
      p50: details?.extra_turns_p50 ?? null,
      p90: details?.extra_turns_p90 ?? null,
      max: details?.extra_turns_max ?? null,
    },
    usage: usageOf(details),
    usage_known: {
      input_tokens: share(details?.shares_with_input_tokens ?? 0, details?.shares ?? 0),
      output_tokens: share(details?.shares_with_output_tokens ?? 0, details?.shares ?? 0),
    },
    handovers: details?.handovers ?? 0,
    linked_by: byName(["explicit", "operation", "digest", "order"] as const, (name) =>
      share(evidence.get(name) ?? 0, attempts),
    ),
  };
}

/** Usage columns as an answer has them. A sum over nothing that stated usage is null, and stays null. */
export function usageOf(
  row: Readonly<Partial<Record<UsageColumn, number | null>>> | undefined,
): Group["funnel"]["usage"] {
  return {
    model_turns: row?.attributed_model_turns ?? null,
    input_tokens: row?.attributed_input_tokens ?? null,
    cached_input_tokens: row?.attributed_cached_input_tokens ?? null,
    cache_write_tokens: row?.attributed_cache_write_tokens ?? null,
    output_tokens: row?.attributed_output_tokens ?? null,
    duration_ms: row?.attributed_duration_ms ?? null,
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
