/**
 * Runs dependency-cruiser over the source and checks that it really saw it: without its swc parser it sees no `.ts` file
 * and passes all the same (TypeScript 7 has no JavaScript API).
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const FOLDERS = [
  "main.ts",
  "config.ts",
  "service",
  "instrumentation/src",
  "collector",
  "database",
  "migrations",
  "analytics",
  "access",
  "cli",
  "bench",
  "demo",
  "dashboard",
  "examples",
  "scripts",
  "test",
  "verification",
].filter((path) => existsSync(path));

/** Below this many modules the parser saw nothing of ours. */
const LEAST_MODULES = 300;

const cruise = spawnSync(
  process.execPath,
  ["node_modules/dependency-cruiser/bin/dependency-cruiser.mjs", "--config", ".dependency-cruiser.mjs", ...FOLDERS],
  { encoding: "utf8" },
);
process.stdout.write(cruise.stdout);
process.stderr.write(cruise.stderr);
const modules = Number(/\((\d+) modules/.exec(cruise.stdout)?.[1] ?? 0);
if (cruise.status === 0 && modules < LEAST_MODULES) {
  console.error(
    `imports: only ${modules} modules were seen, at least ${LEAST_MODULES} expected: is parser "swc" still set?`,
  );
  process.exit(1);
}
process.exit(cruise.status ?? 1);
