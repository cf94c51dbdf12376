/** What answers are made of. One schema gives types, OpenAPI and the client; a repair rate has no schema of its own. */
import { z } from "zod";
import { EPISODE_KINDS } from "../episodes/types.ts";
import { TERMINAL_OUTCOMES, type TerminalOutcome } from "../metrics/counts.ts";
import { RATES, type RateName } from "../metrics/index.ts";
import { byName } from "./by-name.ts";
import { NEXT_ACTIONS } from "./episode-details.ts";

const count = z.number().meta({ description: "A whole number." });

const shareSchema = z
  .object({ numerator: count, denominator: count, value: z.number().nullable() })
  .meta({ id: "Share", description: "Part of a whole; value is null where the denominator is 0: no evidence." });

export const rateSchema = z
  .object({
    numerator: count,
    denominator: count,
    value: z.number().nullable(),
    interval: z
      .object({ low: z.number(), high: z.number(), level: z.number(), method: z.string() })
      .nullable()
      .meta({ description: "Bounds from 0 to 1; null where the denominator is 0." }),
    pending: count.meta({ description: "Episodes (runs, for completion) left out because they are not settled." }),
  })
  .meta({ id: "Rate", description: "A rate is never a bare percentage." });

const ratesSchema = z
  .object(
    byName(
      RATES.map(({ name }) => name),
      () => rateSchema,
    ) as Record<RateName, typeof rateSchema>,
  )
  .meta({ id: "Rates", description: "Every rate of the registry but the terminal outcomes, which stand beside it." });

const terminalOutcomesSchema = z
  .object(byName(TERMINAL_OUTCOMES, () => rateSchema) as Record<TerminalOutcome, typeof rateSchema>)
  .meta({ id: "TerminalOutcomes", description: "How the runs of settled repair episodes ended." });

/** The one home of repair rates: terminal outcomes, the known share and the inferred share cannot be left out. */
export const measuredSchema = z.object({
  rates: ratesSchema,
  terminal_outcomes: terminalOutcomesSchema,
  outcomes_known: shareSchema.meta({ description: "Ended runs whose outcome is known: behind completion_rate." }),
  inferred_turns: shareSchema.meta({ description: "Calls whose model turn was inferred, not stated." }),
});
export type Measured = z.infer<typeof measuredSchema>;

const worstToolSchema = z
  .object(
    byName(
      RATES.map(({ name }) => name),
      () => z.union([z.object({ tool: z.string(), rate: rateSchema }), z.null()]),
    ) as Record<RateName, z.ZodUnion<[z.ZodObject<{ tool: z.ZodString; rate: typeof rateSchema }>, z.ZodNull]>>,
  )
  .meta({ id: "WorstTool", description: "For each rate the tool that is most surely bad; null without evidence." });

/** Rates of a whole with its rows per risk class and the worst tool of each rate. */
export const measuredWholeSchema = measuredSchema.extend({
  by_risk: z.array(measuredSchema.extend({ risk: z.string() })),
  worst_tool: z.union([worstToolSchema, z.null()]).meta({ description: "null where the group is one tool." }),
});

export const usageSchema = z
  .object({
    model_turns: z.number().nullable(),
    input_tokens: z.number().nullable(),
    cached_input_tokens: z.number().nullable(),
    cache_write_tokens: z.number().nullable(),
    output_tokens: z.number().nullable(),
    duration_ms: z.number().nullable(),
  })
  .meta({ id: "Usage", description: "Usage handed out to episodes, at most once; null where no turn stated it." });

const funnelRowSchema = z.object({
  row: z.string().meta({ example: "repaired_turn_1" }),
  episodes: count,
  share: shareSchema,
  extra_model_turns: count,
  usage: usageSchema,
});

const funnelSchema = z
  .object({
    kind: z.enum(EPISODE_KINDS as readonly ["repair", "recovery", "denial"]),
    opened: count,
    settled: count,
    pending: count,
    rows: z.array(funnelRowSchema).meta({ description: "Settled episodes; the rows sum to `settled`." }),
    open: z.array(funnelRowSchema).meta({ description: "The open funnel so far; the rows sum to `pending`." }),
    outcomes: z.object(byName(TERMINAL_OUTCOMES, () => shareSchema)),
    next_actions: z.object(byName(NEXT_ACTIONS, () => shareSchema)),
    extra_turns: z.object({
      total: count,
      distribution: z.object(byName(["0", "1", "2", "3", "4+"] as const, () => shareSchema)),
      p50: count.nullable(),
      p90: count.nullable(),
      max: count.nullable(),
    }),
    usage: usageSchema,
    usage_known: z.object({ input_tokens: shareSchema, output_tokens: shareSchema }).meta({
      description: "Shares of turns that were handed out and stated their usage.",
    }),
    handovers: count.meta({ description: "Unrepaired episodes of runs that ended escalated or exhausted." }),
    linked_by: z.object(byName(["explicit", "operation", "digest", "order"] as const, () => shareSchema)),
  })
  .meta({ id: "Funnel" });

/** A group of a question: what was called, the rates, the health of the data, what became of the episodes. */
export const groupSchema = measuredWholeSchema
  .extend({
    key: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
    runs: count.meta({ description: "Runs whose first call (per tool: first call to it) stands in the group." }),
    calls: z.object({ total: count, results: count, unanswered: count, unknown_verdict: count }),
    first_attempts: z.object({ total: count, accepted: count, rejected: count }).meta({
      description: "A fingerprint, rung, retryability or failure class narrows `rejected` only.",
    }),
    repair_attempts: z
      .object({ total: count, accepted: count, rejected: count, unknown: count })
      .meta({ description: "The same." }),
    health: z.object({
      not_checked: shareSchema.meta({ description: "Accepted calls whose arguments nothing checked." }),
      corrected: shareSchema.meta({ description: "Accepted calls whose arguments the harness changed." }),
      ran_against_schema: shareSchema.meta({ description: "Accepted calls that the declared schema refuses." }),
      unknown_verdict: shareSchema,
    }),
    hurts: z
      .object({ unrepaired_not_completed: count, attributed_tokens: count, extra_model_turns: count })
      .meta({ description: "What lists are ordered by, in this order and weighted by risk; unweighted here." }),
    funnel: funnelSchema,
  })
  .meta({ id: "Group" });
export type Group = z.infer<typeof groupSchema>;

/** What every answer states of itself. */
export const headerSchema = z.object({
  as_of: z.string(),
  scope: z.object({
    from: z.string().nullable(),
    to: z.string().nullable(),
    kind: z.string(),
    filters: z.record(z.string(), z.array(z.string().nullable())),
    group_by: z.array(z.string()),
  }),
  settings: z.object({ W: count, E: count }).meta({ description: "Link window and eventual window, in turns." }),
  settle_after_seconds: count,
  turn_basis: z.enum(["model", "tool_calling"]),
  runs_waiting: count.meta({ description: "Runs that wait to be assembled or linked: their calls are in no rate." }),
});
export type Header = z.infer<typeof headerSchema>;

export const funnelAnswerSchema = headerSchema
  .extend({
    overall: groupSchema,
    groups: z.array(groupSchema),
    runs_without_times: count.nullable().meta({
      description: "Grouped by day or hour: runs from files without times, which the groups leave out.",
    }),
  })
  .meta({ id: "FunnelAnswer" });
export type FunnelAnswer = z.infer<typeof funnelAnswerSchema>;

export const toolsAnswerSchema = headerSchema
  .extend({ total: count, overall: groupSchema, tools: z.array(groupSchema) })
  .meta({ id: "ToolsAnswer" });
export type ToolsAnswer = z.infer<typeof toolsAnswerSchema>;

export const fingerprintSchema = groupSchema
  .extend({
    failure_classes: z.array(z.string()),
    retryabilities: z.array(z.string()),
    rungs: z.array(z.number()),
    risks: z.array(z.string()),
    failed_calls: count,
    first_seen: z.string().nullable().meta({ description: "Start of the hour of the first failed call." }),
    last_seen: z.string().nullable().meta({ description: "Start of the hour of the last failed call." }),
  })
  .meta({ id: "Fingerprint" });
export type FingerprintRow = z.infer<typeof fingerprintSchema>;

export const fingerprintsAnswerSchema = headerSchema
  .extend({ total: count, overall: groupSchema, fingerprints: z.array(fingerprintSchema) })
  .meta({ id: "FingerprintsAnswer" });
export type FingerprintsAnswer = z.infer<typeof fingerprintsAnswerSchema>;
