/** The routes of the reading API: what each takes and answers. The document and the handlers are made from them. */
import { createRoute, z } from "@hono/zod-openapi";
import { fingerprintsAnswerSchema, funnelAnswerSchema, toolsAnswerSchema } from "../questions/answer.ts";
import { episodesAnswerSchema, runsAnswerSchema } from "../questions/list-answer.ts";
import {
  episodesQuerySchema,
  runsQuerySchema,
  timelineQuerySchema,
  valuesQuerySchema,
} from "../questions/page-query.ts";
import { runAnswerSchema } from "../questions/run-answer.ts";
import { scopeQuerySchema, summaryQuerySchema } from "../questions/scope-query.ts";
import { summaryAnswerSchema } from "../questions/summary-answer.ts";
import { timelineAnswerSchema } from "../questions/timeline-answer.ts";
import { valuesAnswerSchema } from "../questions/values-answer.ts";

const errorSchema = z
  .object({
    errors: z.array(
      z.object({
        field: z.string().meta({ description: "The parameter that is wrong." }),
        message: z.string().meta({ description: "What came and what to send instead." }),
      }),
    ),
  })
  .meta({ id: "Error" });

const metricSchema = z
  .object({
    name: z.string(),
    title: z.string(),
    meaning: z.string(),
    formula: z.string(),
    unit: z.string(),
    better: z.enum(["higher", "lower"]).nullable(),
  })
  .meta({ id: "Metric" });

const metricsAnswerSchema = z
  .object({
    metrics: z.array(metricSchema),
    left_out: z.array(z.object({ name: z.string(), waits_for: z.string() })),
  })
  .meta({ id: "MetricsAnswer", description: "The registry: what the rates mean. It holds no numbers." });

const json = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  description,
  content: { "application/json": { schema } },
});

const refused = json(errorSchema, "The question cannot be answered as it was asked; each message says what to send.");

const away = json(errorSchema, "The database does not answer right now; Retry-After says when to ask again.");

const question = <Path extends string, Answer extends z.ZodType, Query extends z.ZodObject>(
  path: Path,
  summary: string,
  answer: Answer,
  query: Query,
) =>
  createRoute({
    method: "get",
    path,
    summary,
    request: { query },
    responses: { 200: json(answer, "The answer."), 400: refused, 503: away },
  });

export const funnelRoute = question(
  "/api/v1/funnel",
  "The repair funnel: first attempts, rejected, what the model did next, how its run ended.",
  funnelAnswerSchema,
  scopeQuerySchema,
);

export const toolsRoute = question(
  "/api/v1/tools",
  "The tools, what hurts most first.",
  toolsAnswerSchema,
  scopeQuerySchema,
);

export const fingerprintsRoute = question(
  "/api/v1/fingerprints",
  "Failures of each tool by fingerprint, what hurts most first.",
  fingerprintsAnswerSchema,
  scopeQuerySchema,
);

export const timelineRoute = question(
  "/api/v1/timeline",
  "The rates bucket by bucket, and where versions of tools changed.",
  timelineAnswerSchema,
  timelineQuerySchema,
);

export const valuesRoute = question(
  "/api/v1/values",
  "What each dimension can be filtered by, with calls.",
  valuesAnswerSchema,
  valuesQuerySchema,
);

export const episodesRoute = question(
  "/api/v1/episodes",
  "The episodes behind the numbers, newest first.",
  episodesAnswerSchema,
  episodesQuerySchema,
);

export const runsRoute = question(
  "/api/v1/runs",
  "Runs by their first call to the filtered tools, newest first.",
  runsAnswerSchema,
  runsQuerySchema,
);

export const summaryRoute = question(
  "/api/v1/summary",
  "Everything counted, in one object: what an import is compared with.",
  summaryAnswerSchema,
  summaryQuerySchema,
);

export const runRoute = createRoute({
  method: "get",
  path: "/api/v1/runs/{id}",
  summary: "One run with its turns, calls and links.",
  request: {
    params: z.object({
      id: z.string().meta({
        description: "Run id, or the file's own run key of an imported run; percent-encode a slash.",
        example: "run-2026-01-15-0001",
      }),
    }),
  },
  responses: {
    200: json(runAnswerSchema, "The run."),
    400: refused,
    404: json(errorSchema, "No such run."),
    503: away,
  },
});

export const metricsRoute = createRoute({
  method: "get",
  path: "/api/v1/metrics",
  summary: "The registry of metrics: names, meanings, formulas.",
  responses: { 200: json(metricsAnswerSchema, "The registry.") },
});

export const ROUTES = [
  funnelRoute,
  toolsRoute,
  fingerprintsRoute,
  timelineRoute,
  valuesRoute,
  summaryRoute,
  episodesRoute,
  runsRoute,
  runRoute,
  metricsRoute,
] as const;
