/** What to tell a person when no connection to the server in DATABASE_URL comes about. */
import { errorCode } from "./errors.ts";

const EXAMPLE = "postgres://user:password@localhost:5432/mulligan";

/** An address without its password, its user and its parameters, which may hold secrets too. */
function shown(url: URL): string {
  return `${url.protocol}//${url.username ? "…@" : ""}${url.host}${url.pathname}`;
}

/**
 * Reads the address of a Postgres server.
 *
 * @throws with the safe part of what came, and an example of what is expected.
 */
export function parseDatabaseUrl(databaseUrl: string): URL {
  // An @ past the host, or a fragment, is the end of a password whose / ? or # cut the address short.
  const url = URL.parse(databaseUrl);
  if (url === null || url.hash !== "" || `${url.pathname}${url.search}`.includes("@")) {
    throw new Error(
      `DATABASE_URL is no address (${databaseUrl.length} characters, not shown as they may hold a password). Write it like ${EXAMPLE}; characters such as @ : / # in a password are written as %40 %3A %2F %23.`,
    );
  }
  if (url.protocol !== "postgres:" && url.protocol !== "postgresql:") {
    throw new Error(
      `DATABASE_URL must begin with postgres:// and begins with ${url.protocol}//. Write it like ${EXAMPLE}, or leave it out to use the embedded database.`,
    );
  }
  return url;
}

/** A connection's failure in words that say what to do; the failure itself is its cause. */
export function explainConnectError(url: URL, error: unknown): Error {
  const where = shown(url);
  const reason = error instanceof Error && error.message !== "" ? error.message : String(errorCode(error) ?? error);
  return new Error(
    `No connection to the database in DATABASE_URL, ${where}: ${advice(url, errorCode(error), reason)}`,
    {
      cause: error,
    },
  );
}

function advice(url: URL, code: string | undefined, reason: string): string {
  const database = decodeURIComponent(url.pathname.slice(1)) || "the user's own";
  switch (code) {
    case "ECONNREFUSED":
    case "ENOENT":
      return "no server listens there. Start it, or correct host and port, or leave DATABASE_URL out to use the embedded database.";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "its host name is not known here. Correct it, or wait until the network is there.";
    case "28P01":
    case "28000":
      return `the server refuses the user or password (${reason}). Correct them in DATABASE_URL.`;
    case "3D000":
      return `the server has no database "${database}". Create it, as with: createdb ${database}`;
    case "53300":
      return "the server has no connection left. Raise its max_connections, or close other clients.";
    default:
      return `${reason}. Expected is an address like ${EXAMPLE}.`;
  }
}

/** The versions that the tests run on: PostgreSQL 15 to 18. */
const OLDEST = 15;
const NEWEST = 18;

/**
 * Checks that a server can hold the data.
 *
 * @param server.version as `server_version_num` has it, like 150020
 * @throws when its version is not 15 to 18, or its encoding not UTF-8.
 */
export function checkServer(server: { version: number; encoding: string }): void {
  const major = Math.floor(server.version / 10_000);
  const minor = server.version % 10_000;
  if (major < OLDEST || major > NEWEST) {
    const advice = major < OLDEST ? "Upgrade the server" : "Update Mulligan, or use an older server";
    throw new Error(
      `The database in DATABASE_URL is PostgreSQL ${major}.${minor}; Mulligan runs on PostgreSQL ${OLDEST} to ${NEWEST}. ${advice}, or leave DATABASE_URL out to use the embedded database.`,
    );
  }
  if (server.encoding !== "UTF8") {
    throw new Error(
      `The database in DATABASE_URL stores text as ${server.encoding}, and must store it as UTF8, as one made by: createdb --encoding=UTF8 --template=template0 mulligan`,
    );
  }
}
