/** Locks a data directory when it is told to, says `held` or `refused`, and gives it free when it is told to. */
import { parentPort, workerData } from "node:worker_threads";
import { type DataDirLock, DataDirLockedError, lockDataDir } from "../../../database/lock.ts";

let lock: DataDirLock | undefined;
parentPort?.on("message", async (word: "lock" | "release") => {
  if (word === "release") {
    await lock?.release();
    lock = undefined;
    parentPort?.postMessage("free");
    return;
  }
  try {
    lock = await lockDataDir(workerData, () => new Date());
    parentPort?.postMessage("held");
  } catch (error) {
    if (!(error instanceof DataDirLockedError)) throw error;
    parentPort?.postMessage("refused");
  }
});
