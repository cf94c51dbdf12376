/** `mulligan demo`: a small transcript of our own, its funnel, and the service on the same embedded database. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { linkPending } from "../analytics/episodes/linker.ts";
import { databaseQuestions } from "../analytics/questions/questions.ts";
import { assemblePending } from "../collector/assembler.ts";
import { importFile } from "../collector/import.ts";
import { readRules } from "../collector/rules.ts";
import { signingKeyText } from "../collector/signing-key.ts";
import { createStore } from "../collector/store.ts";
import type { Config } from "../config.ts";
import { DEFAULT_PROJECT_ID } from "../database/default-project.ts";
import { defineCommand } from "./command.ts";
import { funnelText } from "./funnel.ts";
import { portOf, serveUntilStopped } from "./serve.ts";
import { terminalOf } from "./terminal.ts";

const transcript = fileURLToPath(new URL("../demo/transcript.jsonl", import.meta.url));
const rules = new URL("../demo/rules.yaml", import.meta.url);
const folder = fileURLToPath(new URL("../.mulligan/demo", import.meta.url));

export const demoCommand = defineCommand({
  name: "demo",
  summary: "Import a small transcript, draw its funnel, serve the API.",
  details:
    "The transcript is of our own making: 60 runs of an agent that books rooms, half of them under a terse error text and\nhalf under one that shows an example. It goes into an embedded database of its own, in this checkout's folder .mulligan.",
  options: {
    port: {
      type: "string",
      placeholder: "PORT",
      description: "Port to listen on. Default: 4318, or a free one where that is taken.",
    },
  },
  examples: [{ command: "mulligan demo", shows: "the funnel, then the API until Ctrl-C" }],
  async run({ values, config: given, stdout, stderr, clock, signal }) {
    const { databaseUrl: _, ...embedded } = given;
    const dataDir = given.dataDirGiven ? given.dataDir : folder;
    const port = values.port === undefined ? await freePort(given) : portOf(values.port);
    const config: Config = { ...embedded, dataDir, port };
    if (values.port === undefined && port !== given.port) {
      stderr.write(`Port ${given.port} is taken, so another one is used: tell your exporters, see below.\n`);
    }
    return serveUntilStopped({ stdout, stderr, clock, signal, json: values.json }, config, async ({ db }) => {
      const { key } = await signingKeyText({ configured: config.signingKey, folder: dataDir });
      const store = createStore({ db, clock, projectId: DEFAULT_PROJECT_ID });
      await importFile({
        ...{
          db,
          store,
          clock,
          projectId: DEFAULT_PROJECT_ID,
          path: transcript,
          format: "openai-chat",
          source: "demo",
          signingKey: key,
        },
        rules: readRules("rules.yaml", await readFile(rules)),
      });
      await assemblePending(db, { clock, projectId: DEFAULT_PROJECT_ID, signal });
      await linkPending(db, { projectId: DEFAULT_PROJECT_ID, signal });
      if (values.json) return;
      const questions = databaseQuestions({ db, clock, projectId: DEFAULT_PROJECT_ID });
      const answer = await questions.funnel({ last: "all", group_by: ["fingerprint"] });
      stdout.write(`${funnelText(answer, terminalOf(stdout, config))}\n`);
      stdout.write("Ask more while this runs: npm run -s mulligan -- fingerprints --data-dir .mulligan/demo\n");
    });
  },
});

/** The configured port, or any free one where another process has it. */
async function freePort({ host, port }: Config): Promise<number> {
  const probe = createServer();
  const free = await new Promise<boolean>((resolve) => {
    probe.once("error", () => resolve(false));
    probe.listen(port, host, () => resolve(true));
  });
  if (free) await new Promise((resolve) => probe.close(resolve));
  return free ? port : 0;
}
