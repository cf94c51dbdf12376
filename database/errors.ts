/** SQLSTATEs, or their classes, under which the same request may succeed in a while (PostgreSQL manual, appendix A). */
const AWAY = [
  /^08/, // connection exception
  /^53/, // insufficient resources: disk, memory, connections
  /^57P0[1235]$/, // shut down by an administrator, crash, starting up, idle too long
  /^57014$/, // cancelled, as by statement_timeout behind a lock
  /^55P03$/, // lock_timeout
  /^40(001|P01)$/, // serialization failure, deadlock
  /^25006$/, // read-only: the primary has moved elsewhere
];

/** What Node says when no server answers. */
const NETWORK = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/** Errors of pg, pg-pool and kysely that carry no code; their texts are checked by tests that provoke them. */
const TEXT =
  /^(Connection terminated|timeout e|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|driver has already been destroyed|Postgres connection has been discarded)/;

function field(error: object, name: string): unknown {
  return (error as Record<string, unknown>)[name];
}

/**
 * Whether an error means that the database is away or cannot serve right now, so that the same request may succeed
 * later (503), as against an error of the request or of ours (500). Looks through `cause` and `AggregateError`.
 */
export function isConnectionLost(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const code = field(error, "code");
  if (typeof code === "string") {
    if (NETWORK.has(code) || AWAY.some((state) => state.test(code))) return true;
    if (code === "ENOENT" && field(error, "syscall") === "connect") return true; // a unix socket that is not there
  }
  if (error instanceof Error && TEXT.test(error.message)) return true;
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(isConnectionLost);
  return isConnectionLost(field(error, "cause"));
}

/** The SQLSTATE of an error that Postgres sent, or what Node calls the failure, if either is there. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const code = field(error, "code");
  return typeof code === "string" ? code : errorCode(field(error, "cause"));
}

/**
 * Whether a row found no partition for its time: somebody dropped a week that we remember. `forgetPartitions(db)`,
 * `ensurePartitions(...)` and the same insert once more heal it.
 */
export function isMissingPartition(error: unknown): boolean {
  // A failed check constraint has the same SQLSTATE, and names its constraint.
  return errorCode(error) === "23514" && typeof error === "object" && error !== null && !field(error, "constraint");
}
