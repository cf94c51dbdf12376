import { z } from "zod";
import { headerSchema, usageSchema } from "./answer.ts";

const nullableText = z.string().nullable();
const nullableNumber = z.number().nullable();
const place = z.object({ turn: z.number(), ordinal: z.number() });

const turnSchema = z.object({
  turn: z.number(),
  leg: z.number(),
  turn_source: z.enum(["exact", "inferred"]),
  model: nullableText,
  provider: nullableText,
  input_tokens: nullableNumber,
  cached_input_tokens: nullableNumber,
  cache_write_tokens: nullableNumber,
  output_tokens: nullableNumber,
  duration_ms: nullableNumber,
  started_at: z.string(),
});

const callSchema = place.extend({
  leg: z.number(),
  tool: z.string(),
  nearest: nullableText.meta({ description: "For a tool that was not offered: the declared name that is closest." }),
  call_id: nullableText,
  origin: z.string().meta({ description: "All but `model` are stored and stand in no rate." }),
  verdict: z.enum(["accepted", "rejected", "unknown"]),
  failure_class: nullableText,
  has_result: z.boolean(),
  fingerprint: nullableText,
  fingerprints: z.array(z.string()),
  retryability: nullableText,
  rung: nullableNumber,
  signature: nullableText.meta({ description: "Keyed digest: equal under one key exactly for the same call." }),
  key_id: nullableText,
  argument_digests: z.array(z.string()).nullable(),
  schema_verdict: nullableText,
  validated: z.boolean().nullable(),
  corrected: z.boolean().nullable(),
  execution_attempts: z.number(),
  schema_version: nullableText,
  template_version: nullableText,
  risk: z.string(),
  result_state: nullableText,
  started_at: z.string(),
  duration_ms: nullableNumber,
});

const episodeSchema = z.object({
  kind: z.enum(["repair", "recovery", "denial"]),
  tool: z.string(),
  opening: place,
  failure_class: z.string(),
  fingerprint: nullableText,
  attempts: z.array(place.extend({ evidence: z.enum(["explicit", "operation", "digest", "order"]) })),
  settled: z.boolean(),
  decided: z.boolean(),
  repaired: z.boolean(),
  repair_turns: nullableNumber,
  funnel_row: z.string(),
  next_action: z.string(),
  next_tool: nullableText,
  unchanged_repeat: z.boolean().nullable(),
  targeted_change: z.boolean().nullable(),
  extra_model_turns: z.number(),
  usage: usageSchema,
});

/** One run with its turns, calls and links. It holds no rate. */
export const runAnswerSchema = headerSchema
  .omit({ scope: true })
  .extend({
    run: z.object({
      run_id: z.string(),
      run_key: nullableText,
      source: z.string(),
      time_source: z.string(),
      agent: nullableText,
      agent_version: nullableText,
      conversation_id: nullableText,
      environment: nullableText,
      service_name: nullableText,
      parent_run_id: nullableText,
      parent_call_id: nullableText,
      child_runs: z.array(z.string()),
      model: nullableText,
      outcome: nullableText.meta({ description: "null is not known: neither completed nor not completed." }),
      budget: nullableText,
      ended: z.boolean(),
      waiting: z.boolean().meta({ description: "The run waits to be assembled or linked: what follows may change." }),
      legs: z.number(),
      model_turns: z.number(),
      text_only_turns: z.number(),
      calls: z.number(),
      left_out_calls: z.number(),
      started_at: z.string(),
      ended_at: z.string(),
      last_received_at: z.string(),
    }),
    turns: z.array(turnSchema),
    calls: z.array(callSchema),
    episodes: z.array(episodeSchema),
  })
  .meta({ id: "RunAnswer" });
export type RunAnswer = z.infer<typeof runAnswerSchema>;
