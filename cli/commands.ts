/** The commands, in the order in which the help lists them. */
import type { Command } from "./command.ts";
import { demoCommand } from "./demo.ts";
import { episodesCommand } from "./episodes.ts";
import { fingerprintsCommand } from "./fingerprints.ts";
import { funnelCommand } from "./funnel.ts";
import { importCommand } from "./import.ts";
import { migrateCommand } from "./migrate.ts";
import { runCommand } from "./run.ts";
import { runsCommand } from "./runs.ts";
import { serveCommand } from "./serve.ts";
import { summaryCommand } from "./summary.ts";
import { toolsCommand } from "./tools.ts";
import { verifyCommand } from "./verify.ts";

export const COMMANDS: readonly Command[] = [
  serveCommand,
  funnelCommand,
  toolsCommand,
  fingerprintsCommand,
  episodesCommand,
  runsCommand,
  runCommand,
  summaryCommand,
  importCommand,
  migrateCommand,
  verifyCommand,
  demoCommand,
];
