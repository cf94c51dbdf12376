/**
 * After `npm ci`: builds the pages, so that `serve` has them. Where the tools to build with were left out (`--omit=dev`)
 * it does nothing: whoever installs like that brings `dashboard/dist` from where it was built.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

if (existsSync(new URL("../node_modules/@vitejs/plugin-react", import.meta.url))) {
  const { status } = spawnSync("npm", ["run", "--silent", "build:dashboard"], { stdio: "inherit", shell: true });
  process.exitCode = status ?? 1;
}
