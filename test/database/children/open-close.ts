/** Opens an embedded database, asks it something, closes it, and has nothing more to do. */
import { connect } from "../../../database/connect.ts";

const [dataDir = "", cacheDir = ""] = process.argv.slice(2);
const { db, close } = await connect({ dataDir, cacheDir });
await db.selectFrom("project").select("name").execute();
await close();
