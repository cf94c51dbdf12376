/** The service's HTTP surface: spans in, answers out, health, one port. */
import { Hono } from "hono";
import { requireToken } from "../access/tokens.ts";
import { apiApp } from "../analytics/api/app.ts";
import { lag } from "../analytics/episodes/linker-lag.ts";
import { collectorApp } from "../collector/http/app.ts";
import { countSetAside } from "../collector/set-aside.ts";
import { createStore, type Store } from "../collector/store.ts";
import type { Config } from "../config.ts";
import type { Connection } from "../database/connect.ts";
import { errorCode } from "../database/errors.ts";
import { pendingMigrations } from "../database/migrate.ts";
import { createSpanCounter, gaugesText } from "./gauges.ts";
import type { Log } from "./log.ts";
import { CONTENT_SECURITY_POLICY, pagesApp } from "./pages.ts";

export interface AppOptions {
  readonly config: Config;
  readonly clock: () => Date;
  readonly projectId: number;
  readonly log: Log;
  /** The database, from the moment that it is reached. */
  readonly connection: () => Connection | null;
  readonly onStored: () => void;
}

/** `cannot_connect_now` (PostgreSQL manual, appendix A): what a server that is starting up would say itself. */
const notReached = () => Object.assign(new Error("The database was not reached yet."), { code: "57P03" });

export function serviceApp(options: AppOptions): Hono {
  const { config, clock, projectId, log, connection } = options;
  const spans = createSpanCounter();
  const stores = new WeakMap<Connection, Store>();
  const store: Store = {
    async insert(...given) {
      const reached = connection();
      if (reached === null) throw notReached();
      const known =
        stores.get(reached) ?? createStore({ db: reached.db, clock, projectId, retentionDays: config.retentionDays });
      stores.set(reached, known);
      return known.insert(...given);
    },
  };

  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    context.header("x-content-type-options", "nosniff");
    context.header("content-security-policy", CONTENT_SECURITY_POLICY);
    context.header("referrer-policy", "no-referrer");
  });
  app.get("/healthz", (context) => context.json({ status: "alive" }));
  app.get("/readyz", async (context) => {
    const reached = connection();
    const pending = reached === null ? null : await pendingMigrations(reached.db).catch(() => null);
    return pending?.length === 0
      ? context.json({ status: "ready" })
      : context.json({ status: "the database is not reached" }, 503, { "retry-after": "1" });
  });

  const readers = config.readToken === undefined ? null : requireToken(config.readToken, "MULLIGAN_READ_TOKEN");
  if (readers !== null) {
    app.use("/api/*", readers);
    app.use("/metrics", readers);
  }
  app.get("/metrics", async (context) => {
    const reached = connection();
    if (reached === null) return context.text("# the database is not reached\n", 503, { "retry-after": "1" });
    const setAside = await countSetAside(reached.db, projectId);
    return context.text(gaugesText(await lag(reached.db, { projectId }), setAside, spans.counts, clock()));
  });

  const apis = new WeakMap<Connection, ReturnType<typeof apiApp>>();
  app.all("/api/*", (context) => {
    const reached = connection();
    if (reached === null) {
      const message = "the database is not reached yet; ask again in a second.";
      return context.json({ errors: [{ field: "", message }] }, 503, { "retry-after": "1" });
    }
    const api = apis.get(reached) ?? apiApp({ db: reached.db, clock, projectId });
    apis.set(reached, api);
    return api.fetch(context.req.raw);
  });

  app.route(
    "/",
    collectorApp({
      store,
      limits: { maxRequestBytes: config.maxRequestBytes, maxInflatedBytes: config.maxInflatedBytes },
      ...(config.ingestToken === undefined
        ? {}
        : { authorise: requireToken(config.ingestToken, "MULLIGAN_INGEST_TOKEN") }),
      onStored: options.onStored,
      onReceived: (report) => spans.count(report),
      onFailure: ({ status, code }) => log("a request was not stored", { status, code }),
    }),
  );

  app.route("/", pagesApp());
  app.notFound((context) =>
    context.json(
      { errors: [{ field: "", message: "nothing is here; / lists what is, and spans go to /v1/traces by POST." }] },
      404,
    ),
  );
  app.onError((error, context) => {
    log("a request failed", { code: errorCode(error) ?? error.name });
    return context.json(
      { errors: [{ field: "", message: "the service failed on this request; it is a fault of the service." }] },
      500,
    );
  });
  return app;
}
