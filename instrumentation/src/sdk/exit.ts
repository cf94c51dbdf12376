export interface Flushable {
  flush(): Promise<void>;
  shutdown(): Promise<void>;
  waiting(): number;
  /** Called once, synchronously, as the process ends. */
  last(): void;
}

/**
 * Sends what is queued before the process ends by itself or by a signal.
 *
 * A signal that nobody else listens to is sent again after the flush, so that the exit code stays that of the signal
 * (143 for SIGTERM). Where the host has a listener, ending the process is the host's business.
 */
export function flushAtExit(telemetry: Flushable): void {
  // An unfinished flush keeps the process alive, and beforeExit comes again when it is done.
  process.on("beforeExit", () => {
    if (telemetry.waiting() > 0)
      void telemetry.flush().then(() => (telemetry.waiting() > 0 ? telemetry.shutdown() : undefined));
  });
  process.once("exit", () => telemetry.last());
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    const listener = async () => {
      if (process.listenerCount(signal) > 1) return void telemetry.flush();
      await telemetry.shutdown();
      process.removeListener(signal, listener);
      process.kill(process.pid, signal);
    };
    process.on(signal, listener);
  }
}
