/** Tells a running process from another one that got its number later, as far as the system says. */
import { readFileSync } from "node:fs";

/**
 * A text that two processes never share: the machine's boot and the process' start in clock ticks (proc(5), field 22
 * of /proc/PID/stat). Undefined where there is no /proc, or no such process.
 */
export function processIdentity(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const afterName = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the name may hold spaces and brackets
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()}:${afterName[19]}`;
  } catch {
    return undefined;
  }
}

/**
 * Whether the process that wrote down this pid and identity runs still, on this machine.
 *
 * @param identity what `processIdentity` said then; where it said nothing, the pid alone decides, and our own pid
 *   means a dead one: the first process of a restarted container has the number of the one before it.
 */
export function isRunning(pid: number, identity: string | undefined): boolean {
  const now = processIdentity(pid);
  if (now !== undefined && identity !== undefined) return now === identity;
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // it runs, as another user
  }
}
