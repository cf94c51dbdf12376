/** The built pages that tests ask a browser about: built once per test run, where their source is newer. */
import { glob, stat } from "node:fs/promises";
import { join } from "node:path";
import { build } from "vite";

const SOURCES = ["dashboard/index.html", "dashboard/vite.config.ts", "dashboard/src/**/*", "analytics/client/*.ts"];

export async function buildPages(root: string): Promise<void> {
  const built = await changedAt(join(root, "dashboard/dist/index.html"));
  for await (const source of glob(SOURCES, { cwd: root })) {
    if ((await changedAt(join(root, source))) < built) continue;
    await buildForProduction(root);
    return;
  }
}

/** Milliseconds since 1970; 0 where there is no such file. */
async function changedAt(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.mtimeMs ?? 0;
}

/** Tests run with NODE_ENV=test, with which the pages would hold React's development build. */
async function buildForProduction(root: string): Promise<void> {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = "production";
  try {
    await build({ configFile: join(root, "dashboard/vite.config.ts"), logLevel: "warn" });
  } finally {
    process.env.NODE_ENV = before;
  }
}
