import { OpenAPIHono } from "@hono/zod-openapi";
import { ROUTES } from "./routes.ts";

/** The OpenAPI 3.1 description of the reading API, from the routes alone: no database is needed. */
export function openApiDocument() {
  const app = new OpenAPIHono();
  for (const route of ROUTES) app.openAPIRegistry.registerPath(route);
  app.openAPIRegistry.registerComponent("securitySchemes", "readToken", {
    type: "http",
    scheme: "bearer",
    description: "Asked for where MULLIGAN_READ_TOKEN is set: always, unless the server listens on loopback only.",
  });
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Mulligan",
      version: "1",
      description:
        "Whether the error texts of tools repair the model's next call. Every answer says its moment, its settings and how many runs still wait; every rate has numerator, denominator, interval and pending; repair rates never stand without terminal outcomes.",
    },
    servers: [{ url: "/" }],
    security: [{}, { readToken: [] }],
  });
}
