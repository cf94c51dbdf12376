import { z } from "zod";
import { TERMINAL_OUTCOMES } from "../metrics/counts.ts";
import type { RateName } from "../metrics/index.ts";
import { headerSchema, measuredWholeSchema, rateSchema } from "./answer.ts";
import { byName } from "./by-name.ts";
import { NEXT_ACTIONS } from "./episode-details.ts";

const count = z.number();
const counts = z.record(z.string(), count);

/** Rates of a summary: those of the registry without the stages of validity. */
export const SUMMARY_RATES = [
  "first_attempt_validity",
  "first_attempt_failure_rate",
  "retry_failure_rate",
  "first_repair_rate",
  "eventual_repair_rate",
  "late_repair_rate",
  "unchanged_repeat_rate",
  "unchanged_step_rate",
  "targeted_change_rate",
  "transient_repeat_rate",
  "repeat_after_denial_rate",
  "completion_rate",
] as const satisfies readonly RateName[];

const callsSchema = z.object({
  tool_calls: count,
  results: count,
  unanswered_calls: count,
  calls_by_class: counts.meta({ description: "`ok` succeeded, `unanswered` has no result." }),
  calls_by_verdict: z.object({ accepted: count, rejected: count, unknown: count }),
  first_attempts: z.object({ total: count, accepted: count, rejected: count }),
  repair_attempts: z.object({ total: count, accepted: count, rejected: count, unknown: count }),
});

const episodesSchema = z.object({
  opened: count,
  settled: count,
  pending: count,
  first_repair: count,
  eventual_repair: count,
  late_repair: count,
  unresolved: count,
  unchanged_repeat: count,
  unchanged_repeat_later: count,
  unchanged_steps: count,
  funnel: z.record(z.string(), z.object({ episodes: count, extra_model_turns: count })),
  targeted_change: rateSchema,
  next_action: z.object(byName(NEXT_ACTIONS, () => count)),
  extra_model_turns: count,
  attributed_model_turns: count,
  attributed_input_tokens: count.nullable(),
  attributed_cached_input_tokens: count.nullable(),
  attributed_output_tokens: count.nullable(),
  attributed_duration_ms: count.nullable(),
  usage_shares: z.object({ all: count, with_input_tokens: count, with_output_tokens: count }),
  terminal_outcomes: z.partialRecord(z.enum(TERMINAL_OUTCOMES), count),
});
export type EpisodesSummary = z.infer<typeof episodesSchema>;

/** Rates and terminal outcomes of one object, as every answer has them. */
const ratesSchema = measuredWholeSchema.extend({
  rates: measuredWholeSchema.shape.rates.pick(byName(SUMMARY_RATES, () => true as const)),
});

const listedSchema = z.object({
  run: z.string().meta({ description: "The file's own run key, else the run id." }),
  tool: z.string(),
  opening: z.tuple([count, count]).meta({ description: "Model turn and ordinal." }),
  class: z.string(),
  attempts: z.array(z.tuple([count, count])),
  outcome: z.enum(["first_repair", "eventual_repair", "late_repair", "unresolved", "undecided"]),
  next_action: z.string(),
  unchanged_repeat: z.boolean().nullable(),
  targeted_change: z.boolean().nullable(),
  extra_model_turns: count,
  attributed_model_turns: count,
});
export type Listed = z.infer<typeof listedSchema>;

const toolSummarySchema = callsSchema
  .extend(ratesSchema.shape)
  .extend({
    runs: count,
    episodes: z.object(byName(["repair", "recovery", "denial"] as const, () => episodesSchema.optional())),
  })
  .meta({ id: "ToolSummary" });

export const importsSchema = z.object({
  source: z.union([z.string(), z.array(z.string()), z.null()]),
  format: z.union([z.string(), z.array(z.string()), z.null()]),
  rules: z.union([z.string(), z.array(z.string()), z.null()]),
  files: z.array(z.string()),
  orphan_results: count,
  duplicates_skipped: counts,
  left_out: counts,
  broken_lines: z.array(z.unknown()),
});
export type ImportsSummary = z.infer<typeof importsSchema>;

/** Everything counted, in one object: what an import is compared with. */
export const summaryAnswerSchema = headerSchema
  .extend(importsSchema.shape)
  .extend(callsSchema.shape)
  .extend(ratesSchema.shape)
  .extend({
    runs: count,
    ended_runs: count,
    run_outcomes: z.partialRecord(z.enum(TERMINAL_OUTCOMES), count),
    model_turns: count,
    text_only_turns: count,
    input_tokens: count.nullable(),
    cached_input_tokens: count.nullable(),
    cache_write_tokens: count.nullable(),
    output_tokens: count.nullable(),
    episodes: z.object(byName(["repair", "recovery", "denial"] as const, () => episodesSchema)),
    by_tool: z.record(z.string(), toolSummarySchema),
    listing: z.object(byName(["repair", "recovery", "denial"] as const, () => z.array(listedSchema))),
    listing_left_out: count.meta({ description: "Episodes beyond the first 1,000 of a kind, which are not listed." }),
  })
  .meta({ id: "SummaryAnswer" });
export type SummaryAnswer = z.infer<typeof summaryAnswerSchema>;
