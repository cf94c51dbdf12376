import type { Kysely } from "kysely";
import { ensurePartitions } from "../../database/partitions.ts";
import type { Database } from "../../database/schema.ts";
import {
  callRow,
  countRow,
  episodeRow,
  fill,
  insertCalls,
  minutesAgo,
  PROJECT,
  REPAIRED_NEXT_TURN,
  runRow,
} from "./rows.ts";

/** A tool that nobody calls wrongly, and one whose two rejected calls were repaired once; one episode is pending. */
export async function fillCliSample(db: Kysely<Database>): Promise<void> {
  const failed = { risk: "write_irreversible", fingerprint: "invalid:start:date_format" } as const;
  const usage = { attributed_input_tokens: 6_500, attributed_output_tokens: 350, attributed_duration_ms: 1_140 };
  await fill(db, {
    runs: [runRow({ run_id: "tau/3/0", run_key: "3/0", turns: 3, calls: 2, outcome: "escalated" })],
    counts: [
      countRow({ run_id: "a", tool: "find", first_accepted: 90 }),
      countRow({ run_id: "tau/3/0", ...failed, first_rejected: 2, repair_accepted: 1, failure_class: "schema" }),
    ],
    episodes: [
      episodeRow({
        ...{ run_id: "tau/3/0", ...failed, ...REPAIRED_NEXT_TURN, ...usage, terminal_outcome: "escalated" },
        ...{ shares_with_input_tokens: 1, shares_with_output_tokens: 1 },
      }),
      episodeRow({
        run_id: "tau/3/0",
        turn: 5,
        ...failed,
        terminal_outcome: "escalated",
        funnel_row: "unresolved_escalated",
      }),
      episodeRow({ run_id: "a", tool: "find", settles_at: minutesAgo(-30), decided: false }),
    ],
  });
  await insertCalls(db, [
    callRow({ run_id: "tau/3/0", turn: 0, ...failed, verdict: "rejected", failure_class: "schema" }),
    callRow({ run_id: "tau/3/0", turn: 1, ...failed, fingerprint: null }),
  ]);
  const opening = { project_id: PROJECT, run_id: "tau/3/0", kind: "repair", opening_turn: 0, opening_ordinal: 0 };
  await db
    .insertInto("attempt")
    .values({ ...opening, attempt: 1, turn: 1, ordinal: 0, evidence: "digest" })
    .execute();
  await ensurePartitions(db, "turn", [minutesAgo(60)]);
  const turn = {
    ...{ project_id: PROJECT, run_id: "tau/3/0", leg: 0, turn_source: "exact" as const, start_time: minutesAgo(60) },
    ...{ model: null, provider: null, input_tokens: 10, cached_input_tokens: null, cache_write_tokens: null },
    ...{ output_tokens: null, duration_ms: null, tools_offered: null, tool_definition_tokens: null },
  };
  await db
    .insertInto("turn")
    .values([0, 1, 2].map((number) => ({ ...turn, turn: number })))
    .execute();
}
