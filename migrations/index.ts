/** The frozen, ordered list: a migration is never changed once it has landed, and new ones go to the end. */
import type { Migration } from "kysely/migration";
import * as spine from "./0001_spine.ts";
import * as rollups from "./0002_rollups.ts";

export const migrations: Record<string, Migration> = {
  "0001_spine": spine,
  "0002_rollups": rollups,
};
