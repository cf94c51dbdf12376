import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import { EPISODE_KINDS, type EpisodeKind } from "../episodes/types.ts";
import { rate } from "../statistics/rate.ts";
import type { CountedGroup } from "./counts.ts";
import { byKind, byName, NEXT_ACTIONS } from "./episode-details.ts";
import { grouped } from "./grouped.ts";
import { type CountedGroups, countAll, EMPTY_GROUP } from "./groups.ts";
import { headerOf } from "./header.ts";
import { measuredWhole } from "./measured.ts";
import { RUN_COUNT } from "./relation.ts";
import type { GroupBy, Scope } from "./scope.ts";
import { snapshot } from "./snapshot.ts";
import { type EpisodesSummary, SUMMARY_RATES, type SummaryAnswer } from "./summary-answer.ts";
import { summariseImports } from "./summary-imports.ts";
import { listEpisodes, sixDecimals } from "./summary-listing.ts";
import { summariseRuns } from "./summary-runs.ts";

const NO_BOUNDS = new Map();

/** Everything counted in a scope, in one object: runs, turns, calls, episodes, rates, per tool, and the episodes listed. */
export function summary(db: Kysely<Database>, scope: Scope): Promise<SummaryAnswer> {
  return snapshot(db, async (db) => {
    const whole = await countAll(db, scope, { groupBy: [], bounds: NO_BOUNDS });
    const perTool = await countAll(db, scope, { groupBy: ["tool"], bounds: NO_BOUNDS });
    const classes = await callsByClass(db, scope, []);
    const toolClasses = await callsByClass(db, scope, ["tool"]);
    const overall = whole.groups[0] ?? EMPTY_GROUP;
    const listing = {
      repair: await listEpisodes(db, scope, "repair"),
      recovery: await listEpisodes(db, scope, "recovery"),
      denial: await listEpisodes(db, scope, "denial"),
    };
    const { left_out_calls, ...runs } = await summariseRuns(db, scope);
    const imports = await summariseImports(db, scope.projectId);
    const notOfTheModel = left_out_calls === 0 ? {} : { calls_not_of_the_model: left_out_calls };
    const episodes = byKind((kind) => episodesOf(whole, overall, kind));
    return {
      ...(await headerOf(db, scope)),
      ...imports,
      left_out: { ...imports.left_out, ...notOfTheModel },
      ...runs,
      ...callsOf(overall, classes),
      episodes,
      ...ratesOf(overall, false),
      by_tool: Object.fromEntries(
        [...perTool.groups]
          .sort((a, b) => (String(a.key[0]) < String(b.key[0]) ? -1 : 1))
          .map((group) => [
            String(group.key[0]),
            {
              ...callsOf(group, toolClasses),
              runs: group.counts.calls.runs,
              episodes: Object.fromEntries(
                EPISODE_KINDS.filter((kind) => group.counts[kind].opened > 0).map((kind) => [
                  kind,
                  episodesOf(perTool, group, kind),
                ]),
              ),
              ...ratesOf(group, true),
            },
          ]),
      ),
      listing,
      listing_left_out: EPISODE_KINDS.reduce((sum, kind) => sum + episodes[kind].opened - listing[kind].length, 0),
    };
  });
}

function ratesOf(group: CountedGroup, isOneTool: boolean) {
  const all = measuredWhole(group, isOneTool);
  return { ...all, rates: byName(SUMMARY_RATES, (name) => all.rates[name]) };
}

type Classes = ReadonlyMap<string, Readonly<Record<string, number>>>;

/** Calls by failure class, by group: `ok` where there is a result and no failure, `unanswered` where there is neither. */
async function callsByClass(db: Kysely<Database>, scope: Scope, groupBy: readonly GroupBy[]): Promise<Classes> {
  const rows = await grouped(db, scope, {
    relation: RUN_COUNT,
    groupBy,
    bounds: NO_BOUNDS,
    narrowing: false,
    levels: [],
    also: [sql`c.failure_class`],
    aggregates: { calls: sql`sum(c.calls)`, results: sql`sum(c.results)` },
  });
  const classes = new Map<string, Record<string, number>>();
  for (const { key, also, counts } of rows) {
    const id = JSON.stringify(key);
    const failureClass = also[0] ?? null;
    const entries =
      failureClass === null
        ? { ok: counts.results, unanswered: counts.calls - counts.results }
        : { [failureClass]: counts.calls };
    const some = Object.entries(entries).filter(([, count]) => count > 0);
    classes.set(id, { ...classes.get(id), ...Object.fromEntries(some) });
  }
  return classes;
}

function callsOf({ key, counts: { calls } }: CountedGroup, classes: Classes) {
  const unknown = calls.repair_unknown + calls.unpaired_unknown;
  return {
    tool_calls: calls.calls,
    results: calls.results,
    unanswered_calls: calls.calls - calls.results,
    calls_by_class: { ...classes.get(JSON.stringify(key)) },
    calls_by_verdict: {
      accepted: calls.first_accepted + calls.repair_accepted,
      rejected: calls.first_rejected + calls.repair_rejected,
      unknown,
    },
    first_attempts: {
      total: calls.first_accepted + calls.first_rejected,
      accepted: calls.first_accepted,
      rejected: calls.first_rejected,
    },
    repair_attempts: {
      total: calls.repair_accepted + calls.repair_rejected + calls.repair_unknown,
      accepted: calls.repair_accepted,
      rejected: calls.repair_rejected,
      unknown: calls.repair_unknown,
    },
  };
}

function episodesOf(all: CountedGroups, group: CountedGroup, kind: EpisodeKind): EpisodesSummary {
  const episodes = group.counts[kind];
  const details = all.detailsOf(group.key, kind);
  const rows = all.rowsOf(group.key, kind).filter(({ also }) => also[1] === "settled");
  const rounded = (value: number | null | undefined) =>
    value === null || value === undefined ? null : sixDecimals(value);
  return {
    opened: episodes.opened,
    settled: episodes.settled,
    pending: episodes.pending,
    first_repair: episodes.first_repair,
    eventual_repair: episodes.eventual_repair,
    late_repair: episodes.late_repair,
    unresolved: episodes.settled - episodes.repaired,
    unchanged_repeat: episodes.unchanged_repeat,
    unchanged_repeat_later: episodes.unchanged_repeat_later,
    unchanged_steps: episodes.unchanged_steps,
    funnel: Object.fromEntries(
      rows
        .map(({ also, counts }) => ({ row: String(also[2]), counts }))
        .sort((a, b) => (a.row < b.row ? -1 : 1))
        .map(({ row, counts }) => [row, { episodes: counts.episodes, extra_model_turns: counts.extra_model_turns }]),
    ),
    targeted_change: rate({
      numerator: episodes.targeted_change,
      denominator: episodes.targeted_change_known,
      pending: episodes.pending,
      units: episodes.runs_with_targeted_change_known,
    }),
    next_action: byName(NEXT_ACTIONS, (action) => details?.[action] ?? 0),
    extra_model_turns: details?.extra_model_turns ?? 0,
    attributed_model_turns: rounded(details?.attributed_model_turns) ?? 0,
    attributed_input_tokens: rounded(details?.attributed_input_tokens),
    attributed_cached_input_tokens: rounded(details?.attributed_cached_input_tokens),
    attributed_output_tokens: rounded(details?.attributed_output_tokens),
    attributed_duration_ms: rounded(details?.attributed_duration_ms),
    usage_shares: {
      all: details?.shares ?? 0,
      with_input_tokens: details?.shares_with_input_tokens ?? 0,
      with_output_tokens: details?.shares_with_output_tokens ?? 0,
    },
    terminal_outcomes: Object.fromEntries(Object.entries(episodes.outcomes).filter(([, count]) => count > 0)),
  };
}
