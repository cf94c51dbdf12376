/** The arrows of ARCHITECTURE.md as rules: what a folder may NOT import. A new arrow changes that picture in the same commit. */
const npm = (names) => `(^|/)node_modules/(${names})/`;
const rule = (name, from, to, comment) => ({ name, severity: "error", from, to, comment });
const runTime = { dependencyTypesNot: ["type-only"] };

export default {
  forbidden: [
    rule(
      "no-cycles",
      {},
      { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
      "A cycle hides which file owns an idea.",
    ),
    rule("resolvable", {}, { couldNotResolve: true }, "The import names nothing."),
    rule(
      "instrumentation-stands-alone",
      { path: "^instrumentation/src" },
      {
        pathNot: ["^instrumentation/src", npm("@opentelemetry/api|ajv|ajv-formats")],
        dependencyTypesNot: ["core", "type-only"],
        dynamic: false,
      },
      "Applications install it: OpenTelemetry's API, ajv, and nothing else (the SDK is an optional peer, loaded on demand).",
    ),
    rule(
      "instrumentation-by-its-doors",
      { pathNot: "^(test/)?instrumentation/" },
      {
        path: "^instrumentation/src",
        pathNot:
          "^instrumentation/src/(index|register|processor|semconv|grammar|signature|signing-key|types)\\.ts$|^instrumentation/src/validation/",
      },
      "Import the package's exports and its internal door, not its other files.",
    ),
    rule(
      "migrations-are-frozen",
      { path: "^migrations" },
      { pathNot: ["^migrations", npm("kysely")] },
      "A migration must still run when today's code has changed.",
    ),
    rule(
      "writers-and-readers-meet-in-postgres",
      { path: "^collector" },
      { path: "^(analytics|dashboard|cli)" },
      "The collector knows no question.",
    ),
    rule(
      "readers-and-writers-meet-in-postgres",
      { path: "^analytics" },
      { path: "^(collector|dashboard|instrumentation|cli)" },
      "A question knows no wire format.",
    ),
    rule(
      "dashboard-asks-the-api",
      { path: "^dashboard" },
      { path: "^(analytics|collector|database|migrations|instrumentation|cli)", pathNot: "^analytics/client/" },
      "A page shows what the API says.",
    ),
    rule(
      "client-has-no-server",
      { path: "^analytics/client" },
      { path: "^(analytics|database)", pathNot: "^analytics/client/", ...runTime },
      "The client takes only types from the API.",
    ),
    rule(
      "statistics-are-pure",
      { path: "^analytics/statistics" },
      { pathNot: "^analytics/statistics" },
      "Counts in, estimate out.",
    ),
    rule(
      "episodes-are-pure",
      { path: "^analytics/episodes", pathNot: "^analytics/episodes/(linker|settings|lag)[^/]*\\.ts$" },
      { pathNot: "^analytics/episodes", ...runTime },
      "Linking is a pure function over one run; only the linker touches the database.",
    ),
    rule(
      "assembling-is-pure",
      { path: "^collector/(assemble\\.ts$|assembly/)" },
      { pathNot: "^collector/(assemble\\.ts$|assembly/)", ...runTime },
      "Observations in, run out.",
    ),
    rule(
      "verification-stands-outside",
      { pathNot: "^(verification|cli|test)" },
      { path: "^verification" },
      "It recomputes what both sides store: neither may lean on it.",
    ),
    rule(
      "http-lives-at-the-edges",
      { pathNot: "^(main|service|collector/http|analytics/(api|client)|access|dashboard|bench|test)" },
      { path: npm("hono|@hono") },
      "Domain code never sees a request.",
    ),
    rule(
      "connections-open-here",
      { pathNot: "^(database|test)" },
      { path: npm("pg|@electric-sql"), ...runTime },
      "One folder opens connections.",
    ),
    rule("nothing-imports-tests", { pathNot: "^test" }, { path: "^test" }, "Tests import; they are not imported."),
  ],
  options: {
    parser: "swc",
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    exclude: { path: "/dist/" },
    enhancedResolveOptions: {
      conditionNames: ["@mulligan/source", "import", "types", "default"],
      exportsFields: ["exports"],
    },
  },
};
