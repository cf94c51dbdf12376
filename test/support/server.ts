/** A PostgreSQL server of a test's own, which it may stop and kill. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TestServer {
  /** The address of its database `postgres`, over TCP. */
  readonly url: string;
  /** The same over its unix socket. */
  readonly socketUrl: string;
  /** Ends it as an administrator would, at once: connected clients get 57P01. */
  stop(): Promise<void>;
  /** Ends all its processes with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again, on the same address and data, and waits until it accepts connections. */
  start(): Promise<void>;
  /** Stops it for good and removes its files. */
  close(): Promise<void>;
}

const INSTALLED = "/usr/lib/postgresql";
const READY = "database system is ready to accept connections";

function newestBinaries(): string | null {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a)) : [];
  const found = versions.map((version) => join(INSTALLED, version, "bin"));
  return found.find((path) => existsSync(join(path, "initdb")) && existsSync(join(path, "postgres"))) ?? null;
}

/** Postgres refuses to run as root: then the user `postgres`, or else `nobody`. */
function runAs(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const user = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  if (user === undefined) return undefined;
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("a TCP server has an address with a port");
  return address.port;
}

/** The processes that a process has started, from /proc (Linux). */
function childrenOf(pid: number): number[] {
  const list = `/proc/${pid}/task/${pid}/children`;
  return existsSync(list) ? readFileSync(list, "utf8").trim().split(" ").filter(Boolean).map(Number) : [];
}

function killHard(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // it has ended by itself
  }
}

/**
 * Starts a server in a temporary directory on a port of its own: user `postgres`, no password, loopback only, no
 * syncing to disk (a kill of its processes loses nothing by that).
 *
 * @returns null where no PostgreSQL is installed: say that the test is skipped.
 */
export async function startPostgres(): Promise<TestServer | null> {
  const binaries = newestBinaries();
  if (binaries === null) return null;
  const user = runAs();
  const home = mkdtempSync(join(tmpdir(), "mulligan-postgres-"));
  if (user !== undefined) chownSync(home, user.uid, user.gid);
  const data = join(home, "data");
  const port = await freePort();
  execFileSync(
    join(binaries, "initdb"),
    ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"],
    { ...user, cwd: home, stdio: ["ignore", "ignore", "pipe"] },
  );

  let running: ChildProcess | undefined;
  const killLast = () => running?.kill("SIGKILL");

  /** Starts once; false where the processes of a killed server are still leaving its shared memory. */
  async function tryStart(binary: string): Promise<boolean> {
    const settings = ["listen_addresses=127.0.0.1", "fsync=off", "max_connections=60"];
    const server = spawn(
      join(binary, "postgres"),
      ["-D", data, "-k", home, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
      { ...user, cwd: home, stdio: ["ignore", "ignore", "pipe"] },
    );
    running = server;
    let log = "";
    const ready = new Promise<boolean>((resolve, reject) => {
      server.stderr.setEncoding("utf8").on("data", (text: string) => {
        log += text;
        if (log.includes(READY)) resolve(true);
      });
      server.on("error", reject);
      server.on("exit", () => {
        if (/shared memory block|lock file .* already exists/.test(log)) resolve(false);
        else reject(new Error(`PostgreSQL did not start: ${log}`));
      });
    });
    return ready;
  }

  async function end(finish: (server: ChildProcess, pid: number) => void): Promise<void> {
    const server = running;
    running = undefined;
    if (server?.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, "exit");
    finish(server, server.pid);
    await exited;
  }

  const server: TestServer = {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    socketUrl: `postgres://postgres@${encodeURIComponent(home)}:${port}/postgres`,
    stop: () => end((child) => child.kill("SIGINT")), // "fast shutdown" of the PostgreSQL manual, 18.5
    kill: () =>
      end((_child, pid) => {
        for (const each of [pid, ...childrenOf(pid)]) killHard(each);
      }),
    async start() {
      while (!(await tryStart(binaries))) {
        // each turn waits for a server's whole exit
      }
    },
    async close() {
      await server.stop();
      process.off("exit", killLast);
      rmSync(home, { recursive: true, force: true });
    },
  };
  process.on("exit", killLast);
  await server.start();
  return server;
}
