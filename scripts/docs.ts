/**
 * Writes what is generated: `docs/metrics.md`, `docs/configuration.md`, `docs/openapi.json`, `migrations/schema.sql`.
 * With `--check` nothing is written, and a stale file is an error.
 */
import { readFile, writeFile } from "node:fs/promises";
import { openApiDocument } from "../analytics/api/app.ts";
import { metricsMarkdown } from "../analytics/metrics/index.ts";
import { configurationMarkdown } from "../config.ts";
import { connect } from "../database/connect.ts";
import { migrate } from "../database/migrate.ts";
import { dumpSchema } from "./schema.ts";

const check = process.argv.includes("--check");

const connection = await connect({});
await migrate(connection.db);
const schema = await dumpSchema(connection.db);
await connection.close();

const generated: Record<string, string> = {
  "docs/metrics.md": metricsMarkdown(),
  "docs/configuration.md": configurationMarkdown(),
  "docs/openapi.json": `${JSON.stringify(openApiDocument(), null, 2)}\n`,
  "migrations/schema.sql": schema,
};

let stale = 0;
for (const [path, text] of Object.entries(generated)) {
  const present = await readFile(path, "utf8").catch(() => "");
  if (present === text) continue;
  if (check) {
    console.error(`${path} is stale: run \`npm run docs\` and commit it`);
    stale += 1;
  } else {
    await writeFile(path, text);
    console.log(`wrote ${path}`);
  }
}
process.exitCode = stale === 0 ? 0 : 1;
