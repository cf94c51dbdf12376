/** A server on which the benchmark may create its databases: the test server, else one of the test's own. */
import { startPostgres } from "../support/server.ts";

/** Null where neither is to be had: say that the test is skipped. */
export async function benchServer(): Promise<{ readonly url: string; close(): Promise<void> } | null> {
  const given = process.env.MULLIGAN_TEST_DATABASE_URL;
  return given === undefined ? startPostgres() : { url: given, close: async () => {} };
}

/** What a question is given by `main.ts`, kept small: whether it works is asked here, not how fast. */
export function smallOptions(databaseUrl: string, calls: number) {
  const said: string[] = [];
  const { signal } = new AbortController();
  return { said, calls, rounds: 1, databaseUrl, signal, say: (line: string) => void said.push(line) };
}
