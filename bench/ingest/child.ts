/** A process of the benchmark's own that is asked for things, so that what is measured shares no event loop with it. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** What a child can be asked for: each takes one argument and gives one result, both plain data. */
export type Commands = Readonly<Record<string, (argument: never) => Promise<unknown>>>;

type ArgumentOf<C extends Commands, Name extends keyof C> = Parameters<C[Name]>[0];
type ResultOf<C extends Commands, Name extends keyof C> = Awaited<ReturnType<C[Name]>>;

interface Asked {
  readonly name: string;
  readonly argument: unknown;
}
type Answered = { readonly result: unknown } | { readonly failure: string };

export interface Child<C extends Commands> {
  readonly pid: number;
  /** One at a time. @throws what the child threw, or that it has ended. */
  ask<Name extends keyof C & string>(name: Name, argument: ArgumentOf<C, Name>): Promise<ResultOf<C, Name>>;
  end(): Promise<void>;
}

/** Starts a script that calls `answerCommands` with commands of type `C`. */
export function startChild<C extends Commands>(script: URL): Child<C> {
  const child: ChildProcess = fork(fileURLToPath(script), {
    // `node --cpu-prof` profiles the processes that are measured, too.
    execArgv: ["--conditions=@mulligan/source", ...process.execArgv.filter((flag) => flag.startsWith("--cpu-prof"))],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors = `${errors}${text}`.slice(-4_000);
  });
  const exited = once(child, "exit");
  return {
    pid: child.pid ?? 0,
    async ask<Name extends keyof C & string>(name: Name, argument: ArgumentOf<C, Name>): Promise<ResultOf<C, Name>> {
      const asked: Asked = { name, argument };
      const gone = () => new Error(`A process of the benchmark ended before it could ${name}:\n${errors}`);
      if (!child.connected) throw gone();
      const ended = new AbortController();
      const { signal } = ended;
      try {
        child.send(asked);
        const message = once(child, "message", { signal }).then(([answered]) => answered as Answered);
        const exit = once(child, "exit", { signal }).then(() => {
          throw gone();
        });
        const answered = await Promise.race([message, exit]);
        if ("failure" in answered) throw new Error(`${name}: ${answered.failure}`);
        return answered.result as ResultOf<C, Name>;
      } finally {
        ended.abort();
      }
    },
    async end() {
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
      if (child.exitCode === null && child.signalCode === null) await exited;
      clearTimeout(timer);
    },
  };
}

/** In the child: answers until the parent is gone, then lets `close` end what keeps the process alive. */
export function answerCommands(commands: Commands, close: () => Promise<void> = async () => {}): void {
  // A person's Ctrl-C reaches the whole group; the parent ends its children in order.
  process.on("SIGINT", () => {});
  process.on("disconnect", () => void close().finally(() => process.exit()));
  process.on("message", async ({ name, argument }: Asked) => {
    const command = commands[name] as ((argument: unknown) => Promise<unknown>) | undefined;
    const answered: Answered = await Promise.resolve(command?.(argument)).then(
      (result) => ({ result }),
      (error: unknown) => ({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
    if (process.connected) process.send?.(answered);
  });
}
