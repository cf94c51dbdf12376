/** Once per test run: the migrated empty database that every test file begins from, and the built pages. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { connect } from "../../database/connect.ts";
import { dumpKey, readDump } from "../../database/dump-cache.ts";
import { migrate } from "../../database/migrate.ts";
import { buildPages } from "./built-pages.ts";
import { createDatabase, dropDatabase } from "./server-database.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The directory that holds the dump of the migrated empty database. */
    readonly dumpDir: string;
    /** The migrated empty database on the test server, if one is given. */
    readonly templateDatabase: string | null;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildPages(project.config.root);
  const dumpDir = join(project.config.root, ".test");
  project.provide("dumpDir", dumpDir);
  if ((await readDump(dumpDir)) === null) await (await connect({ cacheDir: dumpDir })).close();
  if ((await readDump(dumpDir)) === null) {
    throw new Error(`No dump of the empty database (${await dumpKey()}) came about in ${dumpDir}; is it writable?`);
  }

  const server = process.env.MULLIGAN_TEST_DATABASE_URL;
  if (server === undefined) {
    project.provide("templateDatabase", null);
    return async () => {};
  }
  const template = `mulligan_test_template_${randomBytes(6).toString("hex")}`;
  const { db, close } = await connect({ databaseUrl: await createDatabase(server, template) });
  await migrate(db);
  await close();
  project.provide("templateDatabase", template);
  return () => dropDatabase(server, template);
}
