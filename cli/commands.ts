/** The commands, in the order in which the help lists them. */
import type { Command } from "./command.ts";
import { demoCommand } from "./demo.ts";
import { fingerprintsCommand } from "./fingerprints.ts";
import { funnelCommand } from "./funnel.ts";
import { importCommand } from "./import.ts";
import { migrateCommand } from "./migrate.ts";
import { runCommand } from "./run.ts";
import { serveCommand } from "./serve.ts";
import { summaryCommand } from "./summary.ts";
import { toolsCommand } from "./tools.ts";

export const COMMANDS: readonly Command[] = [
  serveCommand,
  funnelCommand,
  toolsCommand,
  fingerprintsCommand,
  runCommand,
  summaryCommand,
  importCommand,
  migrateCommand,
  demoCommand,
];
