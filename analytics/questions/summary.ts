import type { Kysely } from "kysely";
import type { Database } from "../../database/schema.ts";
import { EPISODE_KINDS, type EpisodeKind } from "../episodes/types.ts";
import { rate } from "../statistics/rate.ts";
import { byKind, byName } from "./by-name.ts";
import { divisionOf } from "./cells.ts";
import { type Cells, type CountedGroup, countGroups, countWhole, readCells } from "./counts.ts";
import { detailsOf, funnelRows } from "./episode-details.ts";
import { headerOf } from "./header.ts";
import { measuredWhole } from "./measured.ts";
import type { Scope } from "./scope.ts";
import { snapshot } from "./snapshot.ts";
import { type EpisodesSummary, SUMMARY_RATES, type SummaryAnswer } from "./summary-answer.ts";
import { summariseImports } from "./summary-imports.ts";
import { listEpisodes, sixDecimals } from "./summary-listing.ts";
import { summariseRuns } from "./summary-runs.ts";

/** Everything counted in a scope, in one object: runs, turns, calls, episodes, rates, per tool, and the episodes listed. */
export function summary(db: Kysely<Database>, scope: Scope): Promise<SummaryAnswer> {
  return snapshot(db, scope, async (at) => {
    const cells = await readCells(at, scope, divisionOf(["tool", "failure_class"]));
    const overall = countWhole(cells);
    const perTool = countGroups(cells, ["tool"]);
    const listing = {
      repair: await listEpisodes(at, "repair"),
      recovery: await listEpisodes(at, "recovery"),
      denial: await listEpisodes(at, "denial"),
    };
    const { left_out_calls, ...runs } = await summariseRuns(at);
    const imports = await summariseImports(at.db, scope.projectId);
    const notOfTheModel = left_out_calls === 0 ? {} : { calls_not_of_the_model: left_out_calls };
    const episodes = byKind((kind) => episodesOf(overall, kind));
    return {
      ...(await headerOf(at)),
      ...imports,
      left_out: { ...imports.left_out, ...notOfTheModel },
      ...runs,
      ...callsOf(overall, callsByClass(cells, null)),
      episodes,
      ...ratesOf(overall, false),
      by_tool: Object.fromEntries(
        perTool
          .sort((a, b) => (String(a.key[0]) < String(b.key[0]) ? -1 : 1))
          .map((group) => [
            String(group.key[0]),
            {
              ...callsOf(group, callsByClass(cells, group.key[0] ?? null)),
              runs: group.counts.completion.runs,
              episodes: Object.fromEntries(
                EPISODE_KINDS.filter((kind) => group.counts[kind].opened > 0).map((kind) => [
                  kind,
                  episodesOf(group, kind),
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

type Classes = Readonly<Record<string, number>>;

/** Calls by failure class, of one tool or of all: `ok` where there is a result and no failure, `unanswered` where there is neither. */
function callsByClass({ calls }: Cells, tool: string | null): Classes {
  const classes: Record<string, number> = {};
  const put = (name: string, count: number) => {
    if (count > 0) classes[name] = (classes[name] ?? 0) + count;
  };
  for (const { key, calls: counts } of calls.filter((cell) => tool === null || cell.tool === tool)) {
    const failureClass = key[1] ?? null;
    if (failureClass !== null) put(failureClass, counts.calls);
    else {
      put("ok", counts.results);
      put("unanswered", counts.calls - counts.results);
    }
  }
  return classes;
}

function callsOf({ counts: { calls } }: CountedGroup, classes: Classes) {
  const unknown = calls.repair_unknown + calls.unpaired_unknown;
  return {
    tool_calls: calls.calls,
    results: calls.results,
    unanswered_calls: calls.calls - calls.results,
    calls_by_class: classes,
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

function episodesOf(group: CountedGroup, kind: EpisodeKind): EpisodesSummary {
  const episodes = group.counts[kind];
  const details = detailsOf(group.episodes[kind]);
  const { usage } = details;
  const rounded = (value: number | null) => (value === null ? null : sixDecimals(value));
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
      funnelRows(group.episodes[kind], "settled")
        .sort((a, b) => (a.row < b.row ? -1 : 1))
        .map(({ row, episodes, extra_model_turns }) => [row, { episodes, extra_model_turns }]),
    ),
    targeted_change: rate({
      numerator: episodes.targeted_change,
      denominator: episodes.targeted_change_known,
      pending: episodes.pending,
    }),
    next_action: details.next_actions,
    extra_model_turns: details.extra_model_turns,
    attributed_model_turns: rounded(usage.model_turns) ?? 0,
    attributed_input_tokens: rounded(usage.input_tokens),
    attributed_cached_input_tokens: rounded(usage.cached_input_tokens),
    attributed_output_tokens: rounded(usage.output_tokens),
    attributed_duration_ms: rounded(usage.duration_ms),
    usage_shares: {
      all: details.shares,
      with_input_tokens: details.shares_with_input_tokens,
      with_output_tokens: details.shares_with_output_tokens,
    },
    terminal_outcomes: Object.fromEntries(Object.entries(episodes.outcomes).filter(([, count]) => count > 0)),
  };
}
