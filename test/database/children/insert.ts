/** Writes numbered rows into an embedded database, one transaction each, and says each number once it is committed. */
import { connect } from "../../../database/connect.ts";
import { migrate } from "../../../database/migrate.ts";

const [dataDir = "", cacheDir = "", first = "0"] = process.argv.slice(2);
const { db } = await connect({ dataDir, cacheDir });
await migrate(db);
for (let number = Number(first); ; number++) {
  await db
    .insertInto("dirty_run")
    .values({ project_id: 1, run_id: String(number), marked_at: new Date(0) })
    .execute();
  process.stdout.write(`${number}\n`);
}
