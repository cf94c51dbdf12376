import type { Kysely } from "kysely";
import { z } from "zod";
import type { Database } from "../../database/schema.ts";
import type { ImportsSummary } from "./summary-answer.ts";

/** What of an importer's accounting is summed up here; it may hold more. */
const accountingSchema = z.looseObject({
  orphan_results: z.number().optional(),
  duplicates_skipped: z.record(z.string(), z.number()).optional(),
  left_out: z.record(z.string(), z.number()).optional(),
  broken_lines: z.array(z.unknown()).optional(),
});

/** What the importers of the project read, left out and could not know, over all files. */
export async function summariseImports(db: Kysely<Database>, projectId: number): Promise<ImportsSummary> {
  const rows = await db
    .selectFrom("import_file")
    .select(["source", "format", "rules", "name", "accounting"])
    .where("project_id", "=", projectId)
    .orderBy("imported_at")
    .orderBy("name")
    .execute();
  const accountings = rows.map(({ accounting }) => accountingSchema.parse(accounting));
  return {
    source: oneOrAll(rows.map(({ source }) => source)),
    format: oneOrAll(rows.map(({ format }) => format)),
    rules: oneOrAll(rows.flatMap(({ rules }) => rules ?? [])),
    files: [...new Set(rows.map(({ name }) => name))],
    orphan_results: accountings.reduce((sum, { orphan_results = 0 }) => sum + orphan_results, 0),
    duplicates_skipped: summed(accountings.map(({ duplicates_skipped = {} }) => duplicates_skipped)),
    left_out: summed(accountings.map(({ left_out = {} }) => left_out)),
    broken_lines: accountings.flatMap(({ broken_lines = [] }) => broken_lines),
  };
}

function oneOrAll(values: readonly string[]): string | string[] | null {
  const distinct = [...new Set(values)];
  return distinct.length > 1 ? distinct : (distinct[0] ?? null);
}

function summed(records: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, count] of records.flatMap((record) => Object.entries(record))) {
    if (count !== 0) sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}
