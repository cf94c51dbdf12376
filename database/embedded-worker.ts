/**
 * The thread in which the embedded database runs. It serves one connection at a time, in the order in which they were
 * opened, and gives the session back as new after each. Started by `embedded.ts`.
 */
import { type MessagePort, parentPort as parent, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";

/** What the owner of the worker may send: a connection's port, or a request. */
export type WorkerRequest = MessagePort | "dump" | "close";
/** What the worker answers: `ready` once, then the dump that was asked for. */
export type WorkerAnswer = "ready" | { dump: Blob };

const database = await PGlite.create(workerData);

/** A simple query message of the wire protocol; its length fits one byte, so the text stays under 120 characters. */
const simpleQuery = (text: string) =>
  new TextEncoder().encode(`Q\0\0\0${String.fromCharCode(text.length + 5)}${text}\0`);
const RESET = ["rollback", "discard all"].map(simpleQuery);
const REFUSAL = simpleQuery(
  "do $$begin raise feature_not_supported using message = 'COPY FROM STDIN: use unnest here';end$$",
);

const SIMPLE_QUERY = "Q".charCodeAt(0);
const PARSE = "P".charCodeAt(0);
const ERROR_RESPONSE = "E".charCodeAt(0);
const COPY_IN = /(?:^|;)(?:\s|--[^\n]*\n|\/\*.*?\*\/)*copy\b[^;]*\bfrom\s+stdin\b/is;

/** Whether a message starts a COPY FROM STDIN, which would send PGlite into a loop that nothing can end. */
function isCopyIn(bytes: Uint8Array): boolean {
  if (bytes[0] !== SIMPLE_QUERY && bytes[0] !== PARSE) return false;
  const start = bytes[0] === SIMPLE_QUERY ? 5 : bytes.indexOf(0, 5) + 1;
  return COPY_IN.test(Buffer.from(bytes.subarray(start, bytes.indexOf(0, start))).toString("latin1"));
}

/** Whether Postgres says that its process is over; PGlite, which has no other process, would go on in a loop. */
function isFatal(bytes: Uint8Array): boolean {
  return bytes[0] === ERROR_RESPONSE && /^S(FATAL|PANIC)\0/.test(Buffer.from(bytes.subarray(5, 12)).toString("latin1"));
}

/** Serves one connection to its end. */
function serve(port: MessagePort): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const answer = (bytes: Uint8Array) => {
    const copy = bytes.slice(); // the bytes are PGlite's own memory
    const fatal = isFatal(copy);
    port.postMessage(copy, [copy.buffer]);
    if (fatal) process.exit(1); // of this thread
  };
  let work = Promise.resolve();
  const run = (bytes: Uint8Array, onRawData: (bytes: Uint8Array) => void = answer) => {
    work = work.then(() => database.execProtocolRawStream(bytes, { onRawData }));
    work.catch(reject);
  };
  port.on("message", (bytes: Uint8Array) => run(isCopyIn(bytes) ? REFUSAL : bytes));
  port.on("close", () => {
    for (const message of RESET) run(message, () => {});
    work.then(resolve, reject);
  });
  return promise;
}

async function handle(request: WorkerRequest): Promise<void> {
  if (request === "close") {
    await database.close();
    parent?.close();
  } else if (request === "dump") {
    const dump = await database.dumpDataDir("gzip");
    parent?.postMessage({ dump: new Blob([await dump.arrayBuffer()]) } satisfies WorkerAnswer);
  } else {
    await serve(request);
  }
}

// A failure below is PGlite's own end: the rejection is left unhandled, so that it ends the thread with its reason.
let last: Promise<void> = Promise.resolve();
parent?.on("message", (request: WorkerRequest) => {
  last = last.then(() => handle(request));
});
parent?.postMessage("ready" satisfies WorkerAnswer);
