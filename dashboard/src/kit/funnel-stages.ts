/** The funnel as stages: each a count, the stage that it is a part of, and its cost. Nothing here is divided. */
import type { Group, TerminalOutcome } from "../../../analytics/client/client.ts";
import { repairLabel, rowLabel, sentence, WORDS } from "./funnel-words.ts";
import { actionWords } from "./words.ts";

type Funnel = Group["funnel"];
type Counted = Pick<Group, "funnel" | "first_attempts" | "calls">;

/** What a stage's row opens: filters of the list of episodes beside the page's own. */
export interface EpisodeFilter {
  readonly state?: "settled" | "pending";
  readonly row?: readonly string[];
  readonly next_action?: readonly string[];
  readonly outcome?: readonly string[];
}

export interface Cost {
  readonly extraTurns: number;
  readonly usage: Funnel["usage"];
}

export interface Stage {
  /** The row's own word: `rejected`, `repaired_turn_1`, `unresolved_escalated`, `gave_up`. */
  readonly name: string;
  readonly label: string;
  readonly count: number;
  /** The whole of which this stage is a part, and what its members are called; null for the first stage. */
  readonly previous: { readonly count: number; readonly label: string } | null;
  /** The settled episodes where the stage is a set of them: the same denominator all the way down. */
  readonly settled: number | null;
  /** An outcome keeps its own colour. */
  readonly tone: "plain" | "good" | "bad" | `fill-${TerminalOutcome}`;
  /** A part of the count that is drawn apart, such as outcomes after a repair. */
  readonly part?: { readonly count: number; readonly label: string };
  readonly sub?: boolean;
  readonly cost: Cost | null;
  /** null where the row opens no list of episodes. */
  readonly filter: EpisodeFilter | null;
}

export interface StageGroup {
  readonly name: "calls" | "path" | "next" | "outcomes";
  readonly title: string;
  /** What a bar of full width stands for in this group. */
  readonly whole: { readonly count: number; readonly label: string };
  readonly stages: readonly Stage[];
}

/** What the model did next where its first attempt, if any, did not resolve the episode. */
const OTHER_ACTIONS = [
  "repeated_unchanged",
  "changed_still_invalid",
  "changed_direction",
  "gave_up",
  "not_known",
] as const;

/**
 * The settled funnel of one group: calls, the path to the repair, what the model did next, how the runs ended.
 *
 * @param eventualWindow `E` of the answer's settings: up to this many model turns a repair has a row of its own.
 */
export function stagesOf(group: Counted, eventualWindow: number): readonly StageGroup[] {
  const { funnel } = group;
  const { opened } = WORDS[funnel.kind];
  const path = { count: funnel.opened, label: opened };
  return [
    callStages(group),
    { name: "path", title: "Turn by turn", whole: path, stages: pathStages(funnel, eventualWindow) },
    { name: "next", title: "What the model did next", whole: path, stages: nextStages(funnel) },
    { name: "outcomes", title: "How their runs ended", whole: path, stages: outcomeStages(funnel) },
  ];
}

function callStages({ funnel, first_attempts, calls }: Counted): StageGroup {
  const { opened } = WORDS[funnel.kind];
  const repair = funnel.kind === "repair";
  const whole = repair
    ? { count: first_attempts.total, label: "first attempts" }
    : { count: calls.total, label: "calls" };
  const base = { settled: null, cost: null } as const;
  return {
    name: "calls",
    title: "Calls",
    whole,
    stages: [
      {
        ...base,
        name: repair ? "first_attempts" : "calls",
        label: repair ? "First attempts" : "Calls",
        count: whole.count,
        previous: null,
        tone: "plain",
        filter: null,
      },
      {
        ...base,
        name: "opened",
        label: sentence(opened),
        count: funnel.opened,
        previous: whole,
        tone: "bad",
        filter: {},
      },
    ],
  };
}

function pathStages(funnel: Funnel, eventualWindow: number): Stage[] {
  const { resolved, unresolved, opened } = WORDS[funnel.kind];
  const rows = new Map(funnel.rows.map((row) => [row.row, row]));
  const of = (row: string) => rows.get(row)?.episodes ?? 0;
  const costOf = (row: string): Cost => ({
    extraTurns: rows.get(row)?.extra_model_turns ?? 0,
    usage: rows.get(row)?.usage ?? NO_USAGE,
  });
  const settled = { count: funnel.settled, label: "settled" };
  const stages: Stage[] = [
    {
      name: "settled",
      label: "Settled",
      count: funnel.settled,
      previous: { count: funnel.opened, label: opened },
      settled: null,
      tone: "plain",
      cost: { extraTurns: funnel.extra_turns.total, usage: funnel.usage },
      filter: { state: "settled" },
    },
  ];
  let left = settled;
  const turns = [
    ...new Set([
      ...Array.from({ length: eventualWindow }, (_, index) => `repaired_turn_${index + 1}`),
      ...funnel.rows.map(({ row }) => row).filter((row) => row.startsWith("repaired_turn_")),
    ]),
  ];
  for (const row of turns) {
    const count = of(row);
    stages.push({
      ...{ name: row, label: repairLabel(row, resolved), count, previous: left, settled: funnel.settled },
      ...{ tone: "good", cost: costOf(row), filter: { state: "settled", row: [row] } },
    });
    left = { count: left.count - count, label: `not ${resolved.toLowerCase()} before` };
  }
  const late = of("repaired_late");
  stages.push({
    ...{ name: "repaired_late", label: `${resolved} late`, count: late, previous: left, settled: funnel.settled },
    ...{ tone: "good", cost: costOf("repaired_late"), filter: { state: "settled", row: ["repaired_late"] } },
  });
  const unresolvedRows = funnel.rows.filter(({ row }) => row.startsWith("unresolved_"));
  const lost = unresolvedRows.reduce((sum, { episodes }) => sum + episodes, 0);
  stages.push({
    ...{ name: "unresolved", label: unresolved, count: lost, previous: left, settled: funnel.settled, tone: "bad" },
    cost: null,
    filter: { state: "settled", row: Object.keys(funnel.outcomes).map((outcome) => `unresolved_${outcome}`) },
  });
  for (const { row, episodes } of unresolvedRows) {
    stages.push({
      ...{ name: row, label: row.slice("unresolved_".length), count: episodes, settled: funnel.settled, tone: "bad" },
      ...{ previous: { count: lost, label: unresolved.toLowerCase() }, sub: true, cost: costOf(row) },
      filter: { state: "settled", row: [row] },
    });
  }
  return stages;
}

function nextStages(funnel: Funnel): Stage[] {
  const { next_actions } = funnel;
  const resolved = next_actions.repaired_next_turn.numerator + next_actions.repaired_later.numerator;
  const previous = { count: funnel.settled - resolved, label: "not right at once" };
  return OTHER_ACTIONS.map((action) => ({
    ...{ name: action, label: sentence(actionWords(action)), count: next_actions[action].numerator, previous },
    ...{ settled: funnel.settled, tone: "bad", cost: null, filter: { state: "settled", next_action: [action] } },
  }));
}

function outcomeStages(funnel: Funnel): Stage[] {
  const { unresolved } = WORDS[funnel.kind];
  return Object.entries(funnel.outcomes).map(([outcome, { numerator }]) => {
    const lost = funnel.rows.find(({ row }) => row === `unresolved_${outcome}`)?.episodes ?? 0;
    return {
      ...{ name: `outcome_${outcome}`, label: sentence(outcome), count: numerator, settled: funnel.settled },
      previous: { count: funnel.settled, label: "settled" },
      tone: `fill-${outcome as TerminalOutcome}`,
      part: { count: lost, label: unresolved.toLowerCase() },
      cost: null,
      filter: { state: "settled", outcome: [outcome] },
    };
  });
}

const NO_USAGE: Funnel["usage"] = {
  model_turns: null,
  input_tokens: null,
  cached_input_tokens: null,
  cache_write_tokens: null,
  output_tokens: null,
  duration_ms: null,
};

/** The open funnel so far, each row a part of the pending episodes. */
export function openStages(funnel: Funnel): readonly Stage[] {
  const { resolved } = WORDS[funnel.kind];
  return funnel.open.map(({ row, episodes, extra_model_turns, usage }) => ({
    name: row,
    label: rowLabel(row, resolved),
    count: episodes,
    previous: { count: funnel.pending, label: "pending" },
    settled: null,
    tone: row.startsWith("repaired") ? "good" : row.startsWith("unresolved") ? "bad" : "plain",
    cost: { extraTurns: extra_model_turns, usage },
    filter: { state: "pending", row: [row] },
  }));
}

/** Settled episodes that were resolved, in whatever turn. */
export function resolvedOf({ rows }: Pick<Funnel, "rows">): number {
  return rows.filter(({ row }) => row.startsWith("repaired")).reduce((sum, { episodes }) => sum + episodes, 0);
}
