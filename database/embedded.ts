/**
 * The embedded database: PGlite in a worker thread, spoken to by `pg` itself over a message port in the place of its
 * socket. A worker ends with its process whatever ends that, so nothing is left running after a kill.
 *
 * It is one session: one connection, and a queue before it. Never ask the pool inside a transaction (use `trx`), and
 * no LISTEN, no COPY FROM STDIN, no server-side cancel or `statement_timeout`. It does not sync to disk: what was
 * acknowledged outlives the process, not the power.
 */
import { once } from "node:events";
import { Duplex } from "node:stream";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { PoolConfig } from "pg";
import type { WorkerAnswer, WorkerRequest } from "./embedded-worker.ts";

/** How long a close may take before the thread is ended from outside. */
const CLOSE_MILLISECONDS = 10_000;
/** How long a query may wait for the one connection: a pool query inside a transaction would wait for itself. */
const QUEUE_MILLISECONDS = 30_000;

/** A message port in the place of pg's socket. One message holds whole protocol messages. */
class PortStream extends Duplex {
  readonly #port: MessagePort;
  constructor(port: MessagePort) {
    super();
    this.#port = port.on("message", (bytes: Uint8Array) => this.push(bytes)).on("close", () => this.destroy());
  }
  connect(): void {
    queueMicrotask(() => this.emit("connect"));
  }
  setNoDelay(): void {}
  ref(): void {
    this.#port.ref();
  }
  unref(): void {
    this.#port.unref();
  }
  override _read(): void {}
  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    const bytes = new Uint8Array(Buffer.concat(chunks.map(({ chunk }) => chunk))); // a Buffer would send its whole pool
    this.#port.postMessage(bytes, [bytes.buffer]);
    done();
  }
  override _final(done: () => void): void {
    this.push(null);
    done();
  }
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#port.close();
    done(error);
  }
}

export interface Embedded {
  /** For `new pg.Pool(...)`. */
  readonly pool: PoolConfig;
  /** The whole database as a compressed tar archive. Waits for the open connection to end: end the pool first. */
  dump(): Promise<Blob>;
  /** Ends the database and its thread once the open connection has ended: call it together with `pool.end()`. */
  close(): Promise<void>;
}

/**
 * Starts the embedded database.
 *
 * @param options.dataDir where it lives; in memory if absent.
 * @param options.loadDataDir a dump to start from; only for a database that does not exist yet.
 * @throws what PGlite says when the directory or the dump cannot be opened.
 */
export async function openEmbedded(options: { dataDir?: string; loadDataDir?: Blob }): Promise<Embedded> {
  // Taken off the process' own streams: an embedded database prints nothing.
  const worker = new Worker(new URL("./embedded-worker.ts", import.meta.url), {
    workerData: options,
    stdout: true,
    stderr: true,
  });
  let end: Error | undefined;
  const stopped = (cause: unknown) =>
    new Error("Connection terminated: the embedded database stopped by an error; start again to recover", { cause });
  worker.on("exit", (code) => {
    end ??= code === 0 ? new Error("Connection terminated: the embedded database has been closed") : stopped(code);
  });
  await once(worker, "message"); // rejects with the error of a start that fails
  worker.on("error", (error) => {
    end = stopped(error);
  });
  const send = (request: WorkerRequest) => worker.postMessage(request, typeof request === "string" ? [] : [request]);

  const stream = () => {
    const { port1, port2 } = new MessageChannel();
    const connection = new PortStream(port1);
    if (end === undefined) send(port2);
    else queueMicrotask(() => connection.destroy(end));
    return connection;
  };

  return {
    pool: {
      max: 1,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: QUEUE_MILLISECONDS,
      // Named, so that PGUSER, PGDATABASE or PGSSLMODE of somebody's shell mean nothing here.
      user: "postgres",
      database: "postgres",
      ssl: false,
      stream,
    },
    async dump() {
      send("dump");
      const [answer]: [WorkerAnswer] = (await once(worker, "message")) as [WorkerAnswer];
      if (answer === "ready") throw new Error("the embedded database answered a dump with its start");
      return answer.dump;
    },
    async close() {
      if (end !== undefined) return;
      const late = setTimeout(() => void worker.terminate(), CLOSE_MILLISECONDS);
      send("close");
      await once(worker, "exit").finally(() => clearTimeout(late));
    },
  };
}
