/** Locks a data directory, says `held` or the pid of the holder, and keeps it until its input ends. */
import { DataDirLockedError, lockDataDir } from "../../../database/lock.ts";

const [dataDir = ""] = process.argv.slice(2);
try {
  const lock = await lockDataDir(dataDir, () => new Date());
  process.stdout.write("held\n");
  for await (const _ of process.stdin);
  await lock.release();
} catch (error) {
  if (!(error instanceof DataDirLockedError)) throw error;
  process.stdout.write(`${error.holder.pid}\n`);
}
