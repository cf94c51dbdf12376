/** What `mulligan demo` says of its fourteen days: nothing was lost, the funnel, what hurts most. */
import { relative } from "node:path";
import { sql } from "kysely";
import { formatCount, formatCountOf, formatDuration } from "../analytics/client/format.ts";
import { databaseQuestions } from "../analytics/questions/questions.ts";
import type { Config } from "../config.ts";
import type { Connection } from "../database/connect.ts";
import { DEFAULT_PROJECT_ID } from "../database/default-project.ts";
import type { Runner } from "../demo/runner.ts";
import type { DemoTelemetry } from "../demo/telemetry.ts";
import type { CommandContext } from "./command.ts";
import type { DemoOptions } from "./demo-options.ts";
import { funnelText } from "./funnel.ts";
import { groupLines } from "./group-lines.ts";
import { printAnswer } from "./print-answer.ts";

/** Failures that are printed, what hurts most first. */
const MOST_HURTING = "3";

/** A demo that is under way. */
export interface Demo {
  readonly context: Pick<CommandContext, "stdout" | "stderr" | "clock" | "signal"> & {
    readonly values: { readonly json: boolean };
  };
  readonly config: Config;
  readonly options: DemoOptions;
  readonly url: string;
  readonly connection: Connection;
  readonly telemetry: DemoTelemetry;
  readonly runner: Runner;
}

/** Milliseconds from the first run until all spans were stored, and until all runs were linked. */
interface Durations {
  readonly stored: number;
  readonly linked: number;
}

/** Prints the account; with `--json` as one line. */
export async function account(demo: Demo, durations: Durations): Promise<void> {
  const { context, config, options, url, connection, telemetry, runner } = demo;
  const { stdout, stderr, clock, values } = context;
  const { begun, dropped, failed } = telemetry.counts;
  const stored = await observationsOf(connection, runner.runIdPrefix);
  if (stored !== begun) {
    stderr.write(
      `${formatCountOf(begun, "span was", "spans were")} begun and ${formatCount(stored)} are stored: ${formatCount(dropped)} found no room in the exporter's queue, ${formatCount(failed)} could not be delivered. The numbers below lack the others.\n`,
    );
  }
  if (values.json) {
    const { seed, runs, scenario, live } = options;
    const spans = { begun, stored, dropped, failed };
    const milliseconds = { stored: Math.round(durations.stored), linked: Math.round(durations.linked) };
    stdout.write(`${JSON.stringify({ scenario: scenario.name, seed, runs, live, url, spans, milliseconds })}\n`);
    return;
  }
  const questions = databaseQuestions({ db: connection.db, clock, projectId: DEFAULT_PROJECT_ID });
  const printing = { values, stdout, config };
  printAnswer(await questions.funnel({ last: "all" }), printing, funnelText);
  printAnswer(await questions.fingerprints({ last: "all", limit: MOST_HURTING }), printing, (answer, terminal) =>
    [
      "",
      terminal.bold("What hurts most"),
      ...answer.fingerprints.flatMap((row) => [
        ...groupLines(`${row.key.tool} · ${row.key.fingerprint ?? "no fingerprint"}`, row, answer.settings.E, terminal),
        "",
      ]),
    ].join("\n"),
  );
  stdout.write(
    `\n${formatCountOf(options.runs, "run")}, ${formatCountOf(stored, "span")} stored in ${formatDuration(durations.stored)}, linked after ${formatDuration(durations.linked)}.\n`,
  );
  const inside = relative(process.cwd(), config.dataDir);
  const folder = inside.startsWith("..") ? config.dataDir : inside;
  stdout.write(
    `Both error texts: npm run -s mulligan -- funnel --last 7d --group-by template_version --data-dir ${folder}\n`,
  );
  if (options.live) stdout.write("From now on a live run begins every few seconds.\n");
  stdout.write(`Dashboard: ${url}\n`);
}

/** Observations of the demo's own runs: others may send to the same port. */
async function observationsOf({ db }: Connection, runIdPrefix: string): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    -- one row in all
    select count(*) as count from observation
    where project_id = ${DEFAULT_PROJECT_ID} and starts_with(run_id, ${runIdPrefix})
  `.execute(db);
  return Number(rows[0]!.count);
}
