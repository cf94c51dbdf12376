/**
 * Pictures of every page in both themes, made from the demo: `npm run screenshots` writes docs/screenshots/.
 * With `--url URL` of a running service they are taken there, with `--out FOLDER` written elsewhere.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { EpisodesAnswer } from "../../analytics/client/client.ts";
import { launchBrowser } from "../support/browser.ts";

const { values } = parseArgs({ options: { url: { type: "string" }, out: { type: "string" } } });
const out = values.out ?? "docs/screenshots";
await mkdir(out, { recursive: true });
const demo = values.url === undefined ? await startDemo() : null;
const url = values.url ?? demo!.url;

/** A run in which an error was read more than once before the call was right: arrows to look at. */
const answer = await fetch(`${url}/api/v1/episodes?last=14d&row=repaired_turn_2&limit=1`);
const [episode] = ((await answer.json()) as EpisodesAnswer).episodes;
if (episode === undefined)
  throw new Error(`${url} holds no episode repaired on the second turn: is it the demo's service?`);

const pages = {
  // As far as a window shows it: the picture of the README.
  front: { path: "/?last=14d&refresh=off", fullPage: false },
  overview: { path: "/?last=14d&refresh=off", fullPage: true },
  tool: { path: "/tools/issue_credit?last=14d&refresh=off", fullPage: true },
  run: { path: `/runs/${encodeURIComponent(episode.run_id)}?last=14d&refresh=off`, fullPage: true },
  // The rest of a list looks like its beginning.
  runs: { path: "/runs?last=14d&refresh=off", fullPage: false },
  episodes: { path: "/episodes?last=14d&refresh=off", fullPage: false },
};

const browser = await launchBrowser();
for (const [name, { path, fullPage }] of Object.entries(pages)) {
  for (const [suffix, options] of [
    ["light", { colorScheme: "light" }],
    ["dark", { colorScheme: "dark" }],
    ["phone", { colorScheme: "light", viewport: { width: 375, height: 800 } }],
  ] as const) {
    const { page, complaints } = await browser.open(`${url}${path}`, options);
    await page.waitForLoadState("networkidle");
    await page.screenshot({ path: join(out, `${name}-${suffix}.png`), fullPage: fullPage && suffix !== "phone" });
    if (complaints.length > 0) throw new Error(`${name}: ${complaints.join("; ")}`);
    await page.context().close();
  }
  console.log(`${name}: light, dark, phone`);
}
await browser.close();
await demo?.stop();

/** The demo on an embedded database of its own; the same seed gives the same runs, counted back from now. */
async function startDemo(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "mulligan-screenshots-"));
  const args = ["demo", "--seed", "1", "--no-live", "--port", "0", "--data-dir", folder];
  const child = spawn(process.execPath, ["--conditions=@mulligan/source", "main.ts", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  const { promise: ready, resolve, reject } = Promise.withResolvers<string>();
  // Read to the end: a demo whose output nobody takes would break off.
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
    const address = /Dashboard: (http:\S+)/.exec(printed)?.[1];
    if (address !== undefined && printed.includes("linked after")) resolve(address);
  });
  child.once("exit", () => reject(new Error(`the demo ended before it was ready: ${printed.slice(-500)}`)));
  return {
    url: await ready,
    async stop() {
      child.kill("SIGINT");
      await once(child, "exit");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
