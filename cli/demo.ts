/** `mulligan demo`: agents whose tools are instrumented, fourteen days of their past, and then their present, on one port. */
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { formatCountOf } from "../analytics/client/format.ts";
import { lag } from "../analytics/episodes/linker-lag.ts";
import { signingKeyText } from "../collector/signing-key.ts";
import type { Config } from "../config.ts";
import { DEFAULT_PROJECT_ID } from "../database/default-project.ts";
import { readLock } from "../database/lock.ts";
import { type CommandContext, defineCommand } from "./command.ts";
import { account, type Demo } from "./demo-account.ts";
import { DEMO_OPTIONS, type DemoOptions, demoOptions } from "./demo-options.ts";
import { createDemoProgress } from "./demo-progress.ts";
import { portOf, serveUntilStopped } from "./serve.ts";

const FOLDER = fileURLToPath(new URL("../.mulligan/demo", import.meta.url));
const LOOK_MILLISECONDS = 100;

export const demoCommand = defineCommand({
  name: "demo",
  summary: "Run instrumented agents for fourteen days in a minute, then live, and serve the dashboard.",
  details:
    "The agents' model is a script; their tools, the instrumentation, OpenTelemetry's exporter and the service are real. A fifth of the runs of the last seven days reads new error texts. All goes into an embedded database of its own: .mulligan/demo in this checkout, made anew each time, or --data-dir, which is kept. With --json the first line is the account of the fourteen days, the second what serve prints.",
  options: DEMO_OPTIONS,
  examples: [
    { command: "mulligan demo", shows: "the funnel, what hurts most, and the dashboard until Ctrl-C" },
    {
      command: "mulligan demo --scenario hidden-harm --seed 7",
      shows: "new error texts that help on average and harm one tool",
    },
  ],
  async run(context) {
    const { values, config: given, stdout, stderr, clock, signal } = context;
    const options = demoOptions(values);
    const config = await demoConfig(given, values.port);
    if (!given.dataDirGiven && (await readLock(FOLDER)) === null) await rm(FOLDER, { recursive: true, force: true });

    // The service stops when the agents' last spans are stored, and not before.
    const stopping = new AbortController();
    let agents: Promise<void> = Promise.resolve();
    const stop = () => void agents.finally(() => stopping.abort());
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });

    const output = { ...passedOn(stdout), write: (text: string) => (signal.aborted ? true : stdout.write(text)) };
    const serving = { stdout: output, stderr, clock, signal: stopping.signal, json: values.json };
    return serveUntilStopped(serving, config, async (connection, { url }) => {
      if (values.port === undefined && config.port === 0 && given.port !== 0)
        stderr.write(`Port ${given.port} is taken, so the demo listens at ${url} instead.\n`);
      const { telemetry, runner } = await openAgents({ ...options, config, url, start: clock().getTime() });
      const demo: Demo = { context, config, options, url, connection, telemetry, runner };
      const past = backfill(demo);
      // Who waits for the agents to stop hears of their end; what went wrong is thrown below.
      agents = past.catch(() => {}).finally(() => (signal.aborted ? telemetry.shutdown() : undefined));
      try {
        await past;
      } catch (error) {
        await telemetry.shutdown();
        throw error;
      }
      if (signal.aborted) return;
      agents = live(demo);
    });
  },
});

/** The fourteen days: runs the agents, waits until all is linked, says what came of it. */
async function backfill(demo: Demo): Promise<void> {
  const { context, options, url, connection, telemetry, runner } = demo;
  const { stdout, stderr, signal, values } = context;
  const { runs, scenario } = options;
  const begun = performance.now();
  if (!values.json) stdout.write(`Dashboard: ${url} (it fills while you look)\n`);
  stderr.write(`Running ${formatCountOf(runs, "agent run")} of the last 14 days, scenario ${scenario.name}.\n`);
  const progress = createDemoProgress(stderr, () => performance.now());
  try {
    await runner.past(runs, signal, (done) => progress.ran(done, runs, telemetry.counts.sent));
    await telemetry.flush();
    const stored = performance.now();
    for (;;) {
      if (signal.aborted) return;
      const { waiting_to_assemble, waiting_to_link } = await lag(connection.db, { projectId: DEFAULT_PROJECT_ID });
      const waiting = waiting_to_assemble + waiting_to_link;
      if (waiting === 0) break;
      progress.waits(waiting, runs);
      await pause(LOOK_MILLISECONDS, undefined, { signal }).catch(() => undefined);
    }
    progress.clear();
    await account(demo, { stored: stored - begun, linked: performance.now() - begun });
  } finally {
    progress.clear();
  }
}

/** Runs one agent after the other until the demo is stopped; then sends the last spans. */
async function live({ context, options, telemetry, runner }: Demo): Promise<void> {
  const { stderr, clock, signal } = context;
  try {
    if (options.live) await runner.live(clock, signal);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    stderr.write(`A live run failed, and no other one begins: ${reason}. The dashboard stays.\n`);
  }
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await telemetry.shutdown();
  const { dropped, failed } = telemetry.counts;
  if (dropped + failed > 0)
    stderr.write(`${formatCountOf(dropped + failed, "span")} of the live runs could not be delivered.\n`);
}

interface AgentsOptions extends DemoOptions {
  readonly config: Config;
  readonly url: string;
  readonly start: number;
}

async function openAgents({ scenario, seed, config, url, start }: AgentsOptions) {
  // Only here: no other command needs to load OpenTelemetry's SDK.
  const { startTelemetry } = await import("../demo/telemetry.ts");
  const { createRunner } = await import("../demo/runner.ts");
  const { key } = await signingKeyText({ configured: config.signingKey, folder: config.dataDir });
  const telemetry = startTelemetry({ url, token: config.ingestToken });
  return { telemetry, runner: createRunner({ scenario, seed, start, telemetry, key }) };
}

/** The embedded database, in the demo's own folder unless one is given; retention that takes in the fourteen days. */
async function demoConfig(given: Config, portText: string | undefined): Promise<Config> {
  const { databaseUrl: _, ...embedded } = given;
  const port = portText === undefined ? await freePort(given) : portOf(portText);
  const dataDir = given.dataDirGiven ? given.dataDir : FOLDER;
  return { ...embedded, dataDir, port, retentionDays: Math.max(given.retentionDays, 30) };
}

/** The configured port, or 0 for any free one where another process has it. */
async function freePort({ host, port }: Config): Promise<number> {
  const probe = createServer();
  const free = await new Promise<boolean>((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(port, host, () => resolve(true));
  });
  if (free) await new Promise((resolve) => probe.close(resolve));
  return free ? port : 0;
}

function passedOn({ isTTY, columns }: CommandContext["stdout"]) {
  return { isTTY, columns };
}
