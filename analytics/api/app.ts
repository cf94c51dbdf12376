import { OpenAPIHono } from "@hono/zod-openapi";
import type { Kysely } from "kysely";
import { isConnectionLost } from "../../database/errors.ts";
import type { Database } from "../../database/schema.ts";
import { LEFT_OUT, METRICS } from "../metrics/index.ts";
import { QuestionError, shown } from "../questions/question-error.ts";
import { databaseQuestions } from "../questions/questions.ts";
import { openApiDocument } from "./document.ts";
import { explainIssue } from "./explain-issue.ts";
import {
  episodesRoute,
  fingerprintsRoute,
  funnelRoute,
  metricsRoute,
  runRoute,
  runsRoute,
  summaryRoute,
  timelineRoute,
  toolsRoute,
  valuesRoute,
} from "./routes.ts";

export { openApiDocument } from "./document.ts";

export interface ApiOptions {
  readonly db: Kysely<Database>;
  readonly clock: () => Date;
  readonly projectId: number;
}

/** The reading API. Who may ask is decided by the middleware that the caller puts before it. */
export function apiApp(options: ApiOptions) {
  const questions = databaseQuestions(options);
  const app = new OpenAPIHono({
    defaultHook: (result, c) =>
      result.success ? undefined : c.json({ errors: result.error.issues.flatMap(explainIssue) }, 400),
  });
  app.onError((error, c) => {
    if (error instanceof QuestionError) {
      return c.json({ errors: [{ field: error.field, message: error.message }] }, 400);
    }
    if (!isConnectionLost(error)) throw error;
    const message = "the database does not answer right now; ask again in a second.";
    return c.json({ errors: [{ field: "", message }] }, 503, { "retry-after": "1" });
  });
  const document = openApiDocument();
  app.get("/api/v1/openapi.json", (c) => c.json(document));
  return app
    .openapi(funnelRoute, async (c) => c.json(await questions.funnel(c.req.valid("query")), 200))
    .openapi(toolsRoute, async (c) => c.json(await questions.tools(c.req.valid("query")), 200))
    .openapi(fingerprintsRoute, async (c) => c.json(await questions.fingerprints(c.req.valid("query")), 200))
    .openapi(timelineRoute, async (c) => c.json(await questions.timeline(c.req.valid("query")), 200))
    .openapi(valuesRoute, async (c) => c.json(await questions.values(c.req.valid("query")), 200))
    .openapi(episodesRoute, async (c) => c.json(await questions.episodes(c.req.valid("query")), 200))
    .openapi(runsRoute, async (c) => c.json(await questions.runs(c.req.valid("query")), 200))
    .openapi(summaryRoute, async (c) => c.json(await questions.summary(c.req.valid("query")), 200))
    .openapi(runRoute, async (c) => {
      const { id } = c.req.valid("param");
      const run = await questions.run(id);
      if (run !== null) return c.json(run, 200);
      const message = `no run has the id or run key ${shown(id)}. Ids are what the emitter sent as mulligan.run.id, or what \`mulligan runs\` lists.`;
      return c.json({ errors: [{ field: "id", message }] }, 404);
    })
    .openapi(metricsRoute, (c) =>
      c.json(
        {
          metrics: METRICS.map(({ name, title, meaning, formula, unit, better }) => ({
            ...{ name, title, meaning, formula, unit, better },
          })),
          left_out: LEFT_OUT.map(({ name, waitsFor }) => ({ name, waits_for: waitsFor })),
        },
        200,
      ),
    );
}

/** For the typed client: import it as a type only. */
export type Api = ReturnType<typeof apiApp>;
