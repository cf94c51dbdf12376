import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import { EPISODE_KINDS, type EpisodeKind, type NextAction } from "../episodes/types.ts";
import { settled } from "./episode-counts.ts";
import { type GroupedRow, grouped } from "./grouped.ts";
import { type Bounds, EPISODE } from "./relation.ts";
import type { GroupBy, Scope } from "./scope.ts";

export const NEXT_ACTIONS = [
  "repaired_next_turn",
  "repaired_later",
  "repeated_unchanged",
  "changed_still_invalid",
  "not_known",
  "changed_direction",
  "gave_up",
] as const satisfies readonly NextAction[];

/** Weight of an episode in lists of what hurts most, by the risk class of its tool; never shown as a rate. */
const RISK_WEIGHT = sql`case c.risk when 'read' then 1 when 'write_reversible' then 3 else 10 end`;
const TOKENS = sql`(coalesce(c.attributed_input_tokens, 0) + coalesce(c.attributed_output_tokens, 0))`;

/** Usage handed out to episodes; null where no turn that was handed out stated it. */
export const USAGE_COLUMNS = [
  "attributed_model_turns",
  "attributed_input_tokens",
  "attributed_cached_input_tokens",
  "attributed_cache_write_tokens",
  "attributed_output_tokens",
  "attributed_duration_ms",
] as const;
export type UsageColumn = (typeof USAGE_COLUMNS)[number];

type DetailColumn =
  | NextAction
  | UsageColumn
  | "extra_model_turns"
  | `extra_turns_${0 | 1 | 2 | 3 | 4}`
  | "extra_turns_p50"
  | "extra_turns_p90"
  | "extra_turns_max"
  | "shares"
  | "shares_with_input_tokens"
  | "shares_with_output_tokens"
  | "handovers"
  | "hurt_unrepaired"
  | "hurt_tokens"
  | "hurt_extra_turns"
  | "unrepaired_not_completed";
/** What settled episodes of one kind did next and cost. Percentiles, maximum and usage may be null. */
export type EpisodeDetails = Readonly<Record<DetailColumn, number>>;

type Place = { readonly groupBy: readonly GroupBy[]; readonly bounds: Bounds };

/** Settled episodes of every kind by group: next actions, extra turns, usage, and what hurts; `also` holds the kind. */
export function episodeDetails(
  db: Kysely<Database>,
  scope: Scope,
  { groupBy, bounds }: Place,
): Promise<GroupedRow<DetailColumn>[]> {
  const count = (condition: RawBuilder<unknown>) => sql`count(*) filter (where ${condition})`;
  const sum = (value: RawBuilder<unknown>) => sql`coalesce(sum(${value}), 0)`;
  const unrepaired = sql`(not c.repaired and c.terminal_outcome <> 'completed')`;
  return grouped<DetailColumn>(db, scope, {
    relation: EPISODE,
    groupBy,
    bounds,
    narrowing: true,
    levels: [],
    also: [sql`c.kind`],
    where: settled(scope),
    aggregates: {
      ...byName(NEXT_ACTIONS, (action) => count(sql`c.next_action = ${action}`)),
      ...byName(USAGE_COLUMNS, (column) => sql`sum(${sql.ref(`c.${column}`)})`),
      extra_model_turns: sum(sql`c.extra_model_turns`),
      extra_turns_0: count(sql`c.extra_model_turns = 0`),
      extra_turns_1: count(sql`c.extra_model_turns = 1`),
      extra_turns_2: count(sql`c.extra_model_turns = 2`),
      extra_turns_3: count(sql`c.extra_model_turns = 3`),
      extra_turns_4: count(sql`c.extra_model_turns >= 4`),
      extra_turns_p50: sql`percentile_disc(0.5) within group (order by c.extra_model_turns)`,
      extra_turns_p90: sql`percentile_disc(0.9) within group (order by c.extra_model_turns)`,
      extra_turns_max: sql`max(c.extra_model_turns)`,
      shares: sum(sql`c.shares`),
      shares_with_input_tokens: sum(sql`c.shares_with_input_tokens`),
      shares_with_output_tokens: sum(sql`c.shares_with_output_tokens`),
      handovers: count(sql`not c.repaired and c.terminal_outcome in ('escalated', 'exhausted')`),
      unrepaired_not_completed: count(unrepaired),
      hurt_unrepaired: sql`coalesce(sum(${RISK_WEIGHT}) filter (where ${unrepaired}), 0)`,
      hurt_tokens: sum(sql`${RISK_WEIGHT} * ${TOKENS}`),
      hurt_extra_turns: sum(sql`${RISK_WEIGHT} * c.extra_model_turns`),
    },
  });
}

/**
 * Rows of the funnel by group and kind; `also` holds the kind, `settled` or `open`, and the row. An episode that is not
 * decided yet stands in the row `undecided` of the open funnel.
 */
export function funnelRows(
  db: Kysely<Database>,
  scope: Scope,
  { groupBy, bounds }: Place,
): Promise<GroupedRow<"episodes" | "extra_model_turns" | UsageColumn>[]> {
  const done = settled(scope);
  return grouped(db, scope, {
    relation: EPISODE,
    groupBy,
    bounds,
    narrowing: true,
    levels: [],
    also: [
      sql`c.kind`,
      sql`case when ${done} then 'settled' else 'open' end`,
      sql`case when ${done} or c.decided then c.funnel_row else 'undecided' end`,
    ],
    aggregates: {
      episodes: sql`count(*)`,
      extra_model_turns: sql`coalesce(sum(c.extra_model_turns), 0)`,
      ...byName(USAGE_COLUMNS, (column) => sql`sum(${sql.ref(`c.${column}`)})`),
    },
  });
}

/** Attempts of episodes by the evidence that linked them; `also` holds the kind and the evidence. */
export function linkEvidence(
  db: Kysely<Database>,
  scope: Scope,
  { groupBy, bounds }: Place,
): Promise<GroupedRow<"attempts">[]> {
  return grouped(db, scope, {
    relation: {
      time: "opened_at",
      from: sql`(
        -- one row per repair link, with the episode that it belongs to
        select c.*, a.evidence
        from episode as c
        join attempt as a
          on a.project_id = c.project_id and a.run_id = c.run_id and a.kind = c.kind
          and a.opening_turn = c.turn and a.opening_ordinal = c.ordinal
      )`,
    },
    groupBy,
    bounds,
    narrowing: true,
    levels: [],
    also: [sql`c.kind`, sql`c.evidence`],
    aggregates: { attempts: sql`count(*)` },
  });
}

/** One entry a kind. */
export function byKind<Value>(make: (kind: EpisodeKind) => Value): Record<EpisodeKind, Value> {
  return byName(EPISODE_KINDS, make);
}

/** A record with one entry a name. */
export function byName<Name extends string, Value>(
  names: readonly Name[],
  make: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Value>;
}
