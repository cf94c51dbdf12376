import { z } from "zod";
import { headerSchema, measuredSchema } from "./answer.ts";

const count = z.number();

/** One bucket. It has neither rows per risk class nor a worst tool: a chart is of one rate, beside the whole that has them. */
const timelinePointSchema = measuredSchema
  .extend({
    start: z.string(),
    end: z.string(),
    calls: count,
    first_attempts: z.object({ total: count, accepted: count, rejected: count }),
    episodes: z.object({ opened: count, settled: count, pending: count }).meta({ description: "Of the scope's kind." }),
    extra_model_turns: count.meta({ description: "Of the settled episodes of the scope's kind." }),
  })
  .meta({ id: "TimelinePoint" });

const versionChangeSchema = z
  .object({
    at: z.string().meta({ description: "Start of the first bucket with the version." }),
    tool: z.string(),
    dimension: z.enum(["schema_version", "template_version"]),
    value: z.string(),
  })
  .meta({ id: "VersionChange", description: "A tool's version that was not in force before, where another one was." });
export type VersionChange = z.infer<typeof versionChangeSchema>;

export const timelineAnswerSchema = headerSchema
  .extend({
    bucket: z.enum(["minute", "hour", "day"]),
    points: z.array(timelinePointSchema).meta({ description: "Buckets with calls or episodes, in order." }),
    changes: z.array(versionChangeSchema),
    runs_without_times: count.meta({ description: "Runs from files without times, which stand in no bucket." }),
  })
  .meta({ id: "TimelineAnswer" });
export type TimelineAnswer = z.infer<typeof timelineAnswerSchema>;
