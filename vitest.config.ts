import { defineConfig } from "vitest/config";

const conditions = ["@mulligan/source"];
/** `.ci/run` reads the counts from this file: vitest has no closing line that a machine can count on. */
const report = process.env.MULLIGAN_TEST_REPORT;

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    execArgv: ["--conditions=@mulligan/source"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    ...(report ? { reporters: ["default", "json"], outputFile: { json: report } } : {}),
  },
});
