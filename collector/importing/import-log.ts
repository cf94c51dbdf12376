/** Which contents were imported, and with what account: the table `import_file`. */
import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import type { ImportAccounting } from "./accounting.ts";
import type { TranscriptFile } from "./transcript-file.ts";

/** The account of this content's last import from this source, or null. */
export async function readImport(
  db: Kysely<Database>,
  projectId: number,
  source: string,
  sha256: string,
): Promise<{ accounting: ImportAccounting; importedAt: Date } | null> {
  const row = await db
    .selectFrom("import_file")
    .select(["accounting", "imported_at"])
    .where("project_id", "=", projectId)
    .where("source", "=", source)
    .where("sha256", "=", sha256)
    .executeTakeFirst();
  return row === undefined ? null : { accounting: row.accounting as ImportAccounting, importedAt: row.imported_at };
}

export async function writeImport(
  db: Kysely<Database>,
  projectId: number,
  file: TranscriptFile,
  accounting: ImportAccounting,
  now: Date,
): Promise<void> {
  const said = { rules: accounting.rules, imported_at: now, accounting: JSON.stringify(accounting) };
  await db
    .insertInto("import_file")
    .values({
      project_id: projectId,
      source: accounting.source,
      sha256: file.sha256,
      name: file.name,
      format: file.format.name,
      ...said,
    })
    .onConflict((conflict) => conflict.columns(["project_id", "source", "sha256"]).doUpdateSet(said))
    .execute();
}

/** Open categories that each tool has already, so that their bound holds over all imports. */
export async function readShapes(db: Kysely<Database>, projectId: number): Promise<Map<string, Set<string>>> {
  const { rows } = await sql<{ tool: string; text_id: string }>`
    -- one row per tool and shape of an error text
    select distinct tool, text_id
    from call
    where project_id = ${projectId} and failure_class is not null and text_id like 'text\\_%' and text_id <> 'text_other'
  `.execute(db);
  return new Map(
    [...Map.groupBy(rows, (row) => row.tool)].map(([tool, shapes]) => [
      tool,
      new Set(shapes.map((row) => row.text_id)),
    ]),
  );
}
