import { readFile } from "node:fs/promises";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ensurePartitions } from "../../database/partitions.ts";
import { dumpSchema } from "../../scripts/schema.ts";
import { openServerTestDatabase, openTestDatabase, type TestDatabase } from "../support/database.ts";

const written = await readFile(new URL("../../migrations/schema.sql", import.meta.url), "utf8");

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

it("schema.sql is what the migrations add up to, whatever weeks there are", async () => {
  expect(await dumpSchema(database.db)).toBe(written);
  await ensurePartitions(database.db, "call", [new Date("2026-11-30T00:00:00Z")]);
  expect(await dumpSchema(database.db)).toBe(written);
});

it("schema.sql is the same from a server", async (context) => {
  const server = await openServerTestDatabase();
  if (server === null) return context.skip("no PostgreSQL found");
  expect(await dumpSchema(server.db)).toBe(written);
  await server.close();
});

it("schema.sql shows a new column, default, check and index, and refuses what it could not show", async () => {
  await database.db
    .transaction()
    .execute(async (trx) => {
      await sql`alter table project add column note text not null default 'Said so' check (note <> 'NO')`.execute(trx);
      await sql`create unique index project_note on project (lower(note))`.execute(trx);
      const changed = await dumpSchema(trx);
      expect(changed).toContain("  note text not null default 'Said so'::text,");
      expect(changed).toContain("  constraint project_note_check check ((note <> 'NO'::text))");
      expect(changed).toContain("create unique index project_note on project using btree (lower(note));");
      await sql`create view shown as select name from project`.execute(trx);
      await expect(dumpSchema(trx)).rejects.toThrow("cannot show relation shown");
      throw new Error("undone");
    })
    .catch((error: Error) => expect(error.message).toBe("undone"));
});
