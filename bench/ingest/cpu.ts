/** CPU time of the database's own processes, where they run on this machine and Linux shows them. */
import { readFile } from "node:fs/promises";
import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";

/** Linux counts in hundredths of a second for every process outside of the kernel (proc(5), `sysconf(_SC_CLK_TCK)`). */
const MICROSECONDS_PER_TICK = 10_000;

/** CPU time of backends so far, in microseconds, by process id; null where it cannot be read. */
export type BackendsCpu = ReadonlyMap<number, number> | null;

/**
 * What backends have used in between. One that ended meanwhile, as a pool ends idle ones, is left out: it was idle.
 */
export function usedBetween(before: BackendsCpu, after: BackendsCpu): number | null {
  if (before === null || after === null) return null;
  return [...after].reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? 0), 0);
}

/** Of all backends of this database but the asking one. */
export async function backendsCpu(db: Kysely<Database>): Promise<BackendsCpu> {
  const { rows } = await sql<{ pid: number }>`
    -- one row per client's backend of this database but the one that asks
    select pid from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
  `.execute(db);
  try {
    return new Map(await Promise.all(rows.map(async ({ pid }) => [pid, await cpuOf(pid)] as const)));
  } catch {
    return null; // another machine's, or no Linux
  }
}

/** proc(5): the name in brackets may hold anything; after it, fields 14 and 15 are user and system time. */
async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const nameEnd = stat.lastIndexOf(")");
  if (!stat.slice(0, nameEnd).includes("postgres")) throw new Error(`process ${pid} of this machine is no Postgres`);
  const fields = stat.slice(nameEnd + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_PER_TICK;
}
