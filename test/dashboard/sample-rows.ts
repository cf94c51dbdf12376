/**
 * Two weeks of four tools for tests of pages, as rows: a read that is taught well, a reversible write, an irreversible
 * one that ends badly, and one of unstated risk with little evidence. The same at every run.
 */
import type { Kysely } from "kysely";
import type { Database, NewRunRow } from "../../database/schema.ts";
import {
  countRow,
  episodeRow,
  fill,
  minutesAgo,
  REPAIRED_NEXT_TURN,
  runRow,
  type WideCount,
  type WideEpisode,
} from "../support/rows.ts";

interface Tool {
  readonly tool: string;
  readonly risk: string;
  /** Of twelve runs, how many make a rejected call; and of ten of those, what became of the call. */
  readonly rejectedIn: number;
  readonly endings: readonly (keyof typeof ENDINGS)[];
  readonly fingerprints: readonly string[];
  /** Every which of the sample's runs calls it. */
  readonly every: number;
}

const ENDINGS = {
  taught: { ...REPAIRED_NEXT_TURN, terminal_outcome: "completed" },
  later: {
    ...{ attempts: 2, repaired: true, repair_turns: 2, eventual_repair: true, next_action: "changed_still_invalid" },
    ...{ funnel_row: "repaired_turn_2", extra_model_turns: 2, steps: 2, shares: 2, terminal_outcome: "completed" },
  },
  escalated: {
    ...{ attempts: 1, next_action: "changed_still_invalid", funnel_row: "unresolved_escalated" },
    ...{ extra_model_turns: 1, steps: 1, shares: 1, terminal_outcome: "escalated" },
  },
  exhausted: {
    ...{ attempts: 3, unchanged_repeat: true, first_attempt_unchanged: true, unchanged_steps: 3, steps: 3 },
    ...{ next_action: "repeated_unchanged", funnel_row: "unresolved_exhausted", extra_model_turns: 3, shares: 3 },
    terminal_outcome: "exhausted",
  },
  gaveUp: { funnel_row: "unresolved_unknown", terminal_outcome: "unknown" },
} as const satisfies Record<string, Partial<WideEpisode>>;

const TOOLS: readonly Tool[] = [
  {
    ...{ tool: "search_orders", risk: "read", rejectedIn: 3, every: 1 },
    endings: ["taught", "taught", "taught", "later", "taught", "taught", "escalated", "taught", "taught", "taught"],
    fingerprints: ["invalid:from:date_format", "invalid:status:enum"],
  },
  {
    ...{ tool: "create_booking", risk: "write_reversible", rejectedIn: 4, every: 2 },
    endings: ["taught", "later", "exhausted", "taught", "taught", "later", "taught", "gaveUp", "taught", "escalated"],
    fingerprints: ["invalid:start:date_format", "missing:guests:required"],
  },
  {
    ...{ tool: "issue_credit", risk: "write_irreversible", rejectedIn: 5, every: 3 },
    endings: ["exhausted", "taught", "escalated", "later", "exhausted", "gaveUp", "taught", "exhausted", "escalated"],
    fingerprints: ["invalid:amount.currency:enum", "invalid:account_id:not_found"],
  },
  {
    ...{ tool: "export@billing", risk: "unstated", rejectedIn: 3, every: 29 },
    endings: ["taught", "gaveUp"],
    fingerprints: ["invalid:format:enum"],
  },
];

const RUNS = 360;
const MODELS = ["example-large", "example-small"];
const USAGE = { attributed_input_tokens: 6_500, attributed_output_tokens: 350, attributed_duration_ms: 1_140 };

/** Runs 0 to 359 over the 14 days before `NOW`; the last ones have not ended and their episodes are pending. */
export async function fillSample(db: Kysely<Database>): Promise<void> {
  const runs: NewRunRow[] = [];
  const counts: WideCount[] = [];
  const episodes: WideEpisode[] = [];
  for (let number = 0; number < RUNS; number += 1) {
    const run_id = `run-${String(number).padStart(3, "0")}`;
    const started_at = minutesAgo(5 + (RUNS - number) * 56);
    const live = number >= RUNS - 6;
    const common = {
      ...{ run_id, model: MODELS[number % 3 === 0 ? 1 : 0]!, agent_name: "concierge", environment: "production" },
      ...{ schema_version: "3", template_version: number > RUNS / 2 ? "example-2" : "terse-1" },
    };
    let outcome: string | null = number % 11 === 0 ? null : "completed";
    let rejected = 0;
    for (const { tool, risk, every, rejectedIn, endings, fingerprints } of TOOLS) {
      if (number % every !== 0) continue;
      const nth = number / every;
      const call = { ...common, tool, risk, minute: started_at, first_call_at: started_at };
      counts.push(
        countRow({ ...call, first_accepted: 3, not_validated: number % 2, corrected: number % 5 === 0 ? 1 : 0 }),
      );
      if (!live && nth % 12 >= rejectedIn) continue;
      rejected += 1;
      const ending = ENDINGS[endings[nth % endings.length]!];
      const failed = {
        ...{
          fingerprint: fingerprints[nth % fingerprints.length]!,
          failure_class: "schema",
          retryability: "after_change",
        },
        rung: number > RUNS / 2 ? 4 : 1,
      };
      const again = "attempts" in ending ? ending.attempts : 0;
      const repaired = "repaired" in ending ? 1 : 0;
      counts.push(
        countRow({ ...call, ...failed, first_rejected: 1, repair_rejected: live ? 0 : again - repaired }),
        countRow({ ...call, repair_accepted: live ? 0 : repaired }),
      );
      const turns = live ? 0 : (ending.extra_model_turns ?? 0);
      episodes.push(
        episodeRow({
          ...{ ...common, tool, risk, opened_at: started_at, turn: rejected, ...failed },
          ...(live
            ? {
                settles_at: minutesAgo(-30),
                decided: false,
                next_action: "not_known",
                funnel_row: "undecided",
                terminal_outcome: "unknown",
              }
            : { ...ending, attributed_model_turns: turns, linked_digest: again }),
          ...(turns === 0 ? {} : Object.fromEntries(Object.entries(USAGE).map(([name, each]) => [name, each * turns]))),
          ...{ shares_with_input_tokens: turns, shares_with_output_tokens: turns },
        }),
      );
      if (!live && ending.terminal_outcome !== "completed")
        outcome = ending.terminal_outcome === "unknown" ? null : ending.terminal_outcome;
    }
    const calls = counts.filter((row) => row.run_id === run_id).reduce((sum, row) => sum + Number(row.calls), 0);
    runs.push(
      runRow({
        ...{ run_id, agent_name: common.agent_name, model: common.model, environment: common.environment },
        ...{ started_at, ended_at: started_at, outcome: live ? null : outcome, ended: !live, turns: calls + 1, calls },
      }),
    );
  }
  await fill(db, { runs, counts: counts.filter(({ calls }) => Number(calls) > 0), episodes });
}
