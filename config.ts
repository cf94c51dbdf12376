/** The only reader of `process.env` in the service. One table: parsed here, printed by `--help`, written to docs/configuration.md. */
import { homedir } from "node:os";
import { join } from "node:path";
import { LEAST_KEY_BYTES } from "@mulligan/instrumentation/internal/signing-key";

export interface Config {
  /** Address of a server Postgres; absent → the embedded database in `dataDir`. */
  readonly databaseUrl?: string;
  readonly dataDir: string;
  /** Whether a person named it; the demo has a folder of its own otherwise. */
  readonly dataDirGiven: boolean;
  readonly host: string;
  readonly port: number;
  readonly ingestToken?: string;
  readonly readToken?: string;
  readonly signingKey?: string;
  readonly retentionDays: number;
  readonly maxRequestBytes: number;
  readonly maxInflatedBytes: number;
  readonly linkWindow?: number;
  readonly eventualWindow?: number;
  readonly settleAfterSeconds?: number;
  readonly turnBasis?: "model" | "tool_calling";
  readonly colour: boolean;
  /** Started by `npm run`, which does not pass a signal on: the command then ends when npm has ended. */
  readonly underNpm: boolean;
}

/** What a person set wrongly: the message names the variable, what came and what to write instead. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

interface Variable {
  readonly name: string;
  readonly meaning: string;
  /** As a person reads it. */
  readonly default: string;
  readonly example: string;
  /** The value is never shown. */
  readonly secret?: true;
}

export const VARIABLES: readonly Variable[] = [
  {
    name: "DATABASE_URL",
    meaning: "A server Postgres, 15 to 18. Without it the embedded database is used.",
    default: "embedded database",
    example: "postgres://user:password@127.0.0.1:5432/mulligan",
    secret: true,
  },
  {
    name: "MULLIGAN_DATA_DIR",
    meaning: "Where the embedded database and the generated signing key live. `--data-dir` wins.",
    default: "the user's data folder, `mulligan`",
    example: "/var/lib/mulligan",
  },
  {
    name: "MULLIGAN_HOST",
    meaning: "Address to listen on. Any address but loopback is refused without both tokens.",
    default: "127.0.0.1",
    example: "0.0.0.0",
  },
  {
    name: "MULLIGAN_PORT",
    meaning: "Port for spans and answers. 0 takes a free one.",
    default: "4318",
    example: "4318",
  },
  {
    name: "MULLIGAN_INGEST_TOKEN",
    meaning: "Bearer token that `/v1/traces` asks for, 16 characters or more.",
    default: "none",
    example: "a long random string",
    secret: true,
  },
  {
    name: "MULLIGAN_READ_TOKEN",
    meaning: "Bearer token that `/api` asks for, 16 characters or more.",
    default: "none",
    example: "another long random string",
    secret: true,
  },
  {
    name: "MULLIGAN_SIGNING_KEY",
    meaning:
      "Key of signatures and digests, 16 bytes or more, the same in all processes of a project. Without it imports generate one: `signing.key` in the data folder, or beside it in `<data folder>-keys` where DATABASE_URL is set. It never reaches the database.",
    default: "generated (imports), random per process (instrumentation)",
    example: "the output of: openssl rand -hex 32",
    secret: true,
  },
  {
    name: "MULLIGAN_RETENTION_DAYS",
    meaning: "Spans that started longer ago are refused (imports are exempt). Nothing stored is deleted by it.",
    default: "400",
    example: "90",
  },
  {
    name: "MULLIGAN_MAX_REQUEST_BYTES",
    meaning: "Largest body of one export request, as sent.",
    default: "16777216",
    example: "4194304",
  },
  {
    name: "MULLIGAN_MAX_INFLATED_BYTES",
    meaning: "Largest body of one export request, inflated.",
    default: "67108864",
    example: "16777216",
  },
  {
    name: "MULLIGAN_LINK_WINDOW",
    meaning: "`W`: an attempt stands at most so many model turns after the one before.",
    default: "the project's setting (2)",
    example: "3",
  },
  {
    name: "MULLIGAN_EVENTUAL_WINDOW",
    meaning: "`E` ≤ `W`: a repair counts as eventual within so many model turns.",
    default: "the project's setting (2)",
    example: "2",
  },
  {
    name: "MULLIGAN_SETTLE_AFTER_SECONDS",
    meaning: "Silence after which a run that never ended counts as settled.",
    default: "the project's setting (3600)",
    example: "900",
  },
  {
    name: "MULLIGAN_TURN_BASIS",
    meaning: "Whether windows count model turns (`model`) or only turns that called a tool (`tool_calling`).",
    default: "the project's setting (`model`)",
    example: "tool_calling",
  },
  {
    name: "NO_COLOR",
    meaning: "Set to anything: no colours in the terminal.",
    default: "colours on a terminal",
    example: "1",
  },
];

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the environment. Throws `ConfigError` for the first variable that cannot be used. */
export function readConfig(env: Environment = process.env): Config {
  const text = (name: string): string | undefined => env[name]?.trim() || undefined;
  const integer = (name: string, least: number, most: number): number | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    const number = Number(value);
    if (Number.isInteger(number) && number >= least && number <= most) return number;
    const example = VARIABLES.find((variable) => variable.name === name)?.example;
    throw new ConfigError(
      `${name} is ${JSON.stringify(value.slice(0, 40))}, expected a whole number from ${least} to ${most}. Example: ${name}=${example}`,
    );
  };
  const signingKey = text("MULLIGAN_SIGNING_KEY");
  const keyBytes = Buffer.byteLength(signingKey ?? "");
  if (signingKey !== undefined && keyBytes < LEAST_KEY_BYTES) {
    throw new ConfigError(
      `MULLIGAN_SIGNING_KEY has ${keyBytes} bytes, expected at least ${LEAST_KEY_BYTES}. Make one with: openssl rand -hex 32`,
    );
  }
  const turnBasis = text("MULLIGAN_TURN_BASIS");
  if (turnBasis !== undefined && turnBasis !== "model" && turnBasis !== "tool_calling") {
    throw new ConfigError(
      `MULLIGAN_TURN_BASIS is ${JSON.stringify(turnBasis.slice(0, 40))}, expected "model" or "tool_calling". Example: MULLIGAN_TURN_BASIS=model`,
    );
  }
  const linkWindow = integer("MULLIGAN_LINK_WINDOW", 1, 1000);
  const eventualWindow = integer("MULLIGAN_EVENTUAL_WINDOW", 1, 1000);
  if (linkWindow !== undefined && eventualWindow !== undefined && eventualWindow > linkWindow) {
    throw new ConfigError(
      `MULLIGAN_EVENTUAL_WINDOW is ${eventualWindow} and MULLIGAN_LINK_WINDOW is ${linkWindow}: the eventual window must not exceed the link window. Example: MULLIGAN_EVENTUAL_WINDOW=${linkWindow}`,
    );
  }
  const optional = {
    databaseUrl: text("DATABASE_URL"),
    ingestToken: text("MULLIGAN_INGEST_TOKEN"),
    readToken: text("MULLIGAN_READ_TOKEN"),
    signingKey,
    linkWindow,
    eventualWindow,
    settleAfterSeconds: integer("MULLIGAN_SETTLE_AFTER_SECONDS", 0, 31_536_000),
    turnBasis,
  };
  return {
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)) as Partial<Config>),
    dataDirGiven: text("MULLIGAN_DATA_DIR") !== undefined,
    dataDir: text("MULLIGAN_DATA_DIR") ?? join(dataHome(env), "mulligan"),
    host: text("MULLIGAN_HOST") ?? "127.0.0.1",
    port: integer("MULLIGAN_PORT", 0, 65_535) ?? 4318,
    retentionDays: integer("MULLIGAN_RETENTION_DAYS", 1, 36_500) ?? 400,
    maxRequestBytes: integer("MULLIGAN_MAX_REQUEST_BYTES", 1024, 1 << 30) ?? 16 << 20,
    maxInflatedBytes: integer("MULLIGAN_MAX_INFLATED_BYTES", 1024, 1 << 30) ?? 64 << 20,
    colour: env.NO_COLOR === undefined,
    underNpm: env.npm_lifecycle_event !== undefined,
  };
}

/** The user's data folder: XDG base directory specification, `%LOCALAPPDATA%` on Windows. */
function dataHome(env: Environment): string {
  return env.XDG_DATA_HOME || env.LOCALAPPDATA || join(homedir(), ".local", "share");
}

/** The table as Markdown, for docs/configuration.md. */
export function configurationMarkdown(): string {
  const rows = VARIABLES.map(({ name, meaning, default: fallback, example, secret }) => {
    const note = secret ? `${meaning} Never logged.` : meaning;
    return `| \`${name}\` | ${note} | ${fallback} | \`${example}\` |`;
  });
  return [
    "# Configuration",
    "",
    "Generated from `config.ts` by `npm run docs`. The service reads these variables; the instrumentation has its own table in",
    "[its README](../instrumentation/README.md).",
    "",
    "| variable | meaning | default | example |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}
