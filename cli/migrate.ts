/** `mulligan migrate`: brings the database up to this version. */
import { existsSync } from "node:fs";
import { connect } from "../database/connect.ts";
import { migrate, pendingMigrations } from "../database/migrate.ts";
import { migrations } from "../migrations/index.ts";
import { CommandError, defineCommand } from "./command.ts";

export const migrateCommand = defineCommand({
  name: "migrate",
  summary: "Bring the database up to this version.",
  details:
    "`serve` and `import` do it themselves; this is for those who migrate before they deploy. Safe when several processes\nstart at once. Migrations only go forward.",
  options: {
    check: { type: "boolean", description: "Change nothing; exit with 1 if a migration is missing." },
  },
  examples: [
    { command: "DATABASE_URL=postgres://user@db/mulligan mulligan migrate", shows: "a Postgres server" },
    { command: "mulligan migrate --check --json", shows: "what is missing, for a deploy script" },
  ],
  async run({ values, stdout, config, clock }) {
    const { databaseUrl, dataDir } = config;
    if (values.check && databaseUrl === undefined && !existsSync(dataDir)) {
      const pending = Object.keys(migrations);
      if (values.json) stdout.write(`${JSON.stringify({ applied: [], pending })}\n`);
      else stdout.write(`There is no database in ${dataDir}. Make it with: mulligan migrate\n`);
      return 1;
    }
    const isNew = databaseUrl === undefined && !existsSync(dataDir);
    const connection = await connect(databaseUrl === undefined ? { dataDir, clock } : { databaseUrl }).catch(
      (cause: unknown) => {
        throw new CommandError(cause instanceof Error ? cause.message : String(cause), { cause });
      },
    );
    try {
      const pending = await pendingMigrations(connection.db);
      const applied = values.check ? [] : await migrate(connection.db);
      const missing = values.check ? pending : [];
      if (values.json) stdout.write(`${JSON.stringify({ applied, pending: missing })}\n`);
      else if (missing.length > 0) stdout.write(`Missing: ${missing.join(", ")}. Run: mulligan migrate\n`);
      else if (isNew) stdout.write(`Made a database in ${dataDir}.\n`);
      else stdout.write(applied.length > 0 ? `Applied: ${applied.join(", ")}\n` : "The database is up to date.\n");
      return missing.length > 0 ? 1 : 0;
    } finally {
      await connection.close();
    }
  },
});
