/** What the machine was, as far as a reader needs it to read a ratio; nothing that says whose machine. */
import { availableParallelism, loadavg } from "node:os";

export interface Environment {
  readonly node: string;
  readonly cores: number;
  /** Load average over the last minute, when the measurement began and when it ended. */
  readonly load: readonly [before: number, after: number];
}

/** To be called before; what it returns is to be called after. */
export function watchEnvironment(): () => Environment {
  const before = minuteLoad();
  return () => ({ node: `Node ${process.versions.node}`, cores: availableParallelism(), load: [before, minuteLoad()] });
}

function minuteLoad(): number {
  return Math.round((loadavg()[0] ?? 0) * 10) / 10;
}
