import { z } from "zod";
import { headerSchema } from "./answer.ts";

const count = z.number();
const nullableText = z.string().nullable();

const next = nullableText.meta({ description: "Send it as `before` for the rows that follow; null at the end." });

const episodeListedSchema = z
  .object({
    run_id: z.string(),
    run_key: nullableText,
    kind: z.enum(["repair", "recovery", "denial"]),
    turn: count,
    ordinal: count,
    opened_at: z.string(),
    tool: z.string(),
    fingerprint: nullableText,
    failure_class: z.string(),
    schema_version: nullableText,
    template_version: nullableText,
    rung: count.nullable(),
    model: nullableText,
    risk: z.string(),
    attempts: count,
    settled: z.boolean(),
    repaired: z.boolean(),
    repair_turns: count.nullable(),
    funnel_row: z.string().meta({ description: "`undecided` while it is neither settled nor decided." }),
    next_action: z.string(),
    next_tool: nullableText,
    terminal_outcome: z.string(),
    extra_model_turns: count,
    attributed_tokens: count.nullable().meta({ description: "Input and output; null where no turn stated either." }),
  })
  .meta({ id: "EpisodeListed" });

/** Episodes, newest first. It holds no rate. */
export const episodesAnswerSchema = headerSchema
  .extend({ total: count, episodes: z.array(episodeListedSchema), next })
  .meta({ id: "EpisodesAnswer" });
export type EpisodesAnswer = z.infer<typeof episodesAnswerSchema>;

const runListedSchema = z
  .object({
    run_id: z.string(),
    run_key: nullableText,
    agent: nullableText,
    model: nullableText,
    environment: nullableText,
    source: z.string(),
    outcome: nullableText.meta({ description: "null is not known: neither completed nor not completed." }),
    ended: z.boolean(),
    started_at: z.string(),
    ended_at: z.string(),
    model_turns: count,
    calls: count,
    rejected_calls: count,
    episodes: count.meta({ description: "Repair episodes." }),
    pending_episodes: count,
  })
  .meta({ id: "RunListed" });

/** Runs, newest first. It holds no rate. */
export const runsAnswerSchema = headerSchema
  .extend({ total: count, runs: z.array(runListedSchema), next })
  .meta({ id: "RunsAnswer" });
export type RunsAnswer = z.infer<typeof runsAnswerSchema>;
