/** Tools that take a range of days: listing transactions, and an export that goes on after it has answered. */
import { ToolInputError } from "@mulligan/instrumentation";
import { z } from "zod";
import { endMeant, isDay, startMeant, wordMeant } from "./mends.ts";
import { defineTool, type ToolOptions } from "./tool.ts";

const DAY = 24 * 60 * 60 * 1000;
const MOST_DAYS = 31;
const DATASETS = ["transactions", "invoices"] as const;
const FORMATS = ["csv", "xlsx"] as const;
/** Share of exports that fail after they were accepted. */
const EXPORTS_THAT_FAIL = 0.12;

const days = { start: startMeant, end: endMeant };

function checkRange({ start, end }: { readonly start: string; readonly end: string }): void {
  for (const [parameter, day] of Object.entries({ start, end })) {
    if (isDay(day)) continue;
    const message = `ValueError: time data does not match format '%Y-%m-%d'`;
    throw new ToolInputError({ parameter, category: "date_format", message });
  }
  const length = (Date.parse(end) - Date.parse(start)) / DAY + 1;
  if (length >= 1 && length <= MOST_DAYS) return;
  throw new ToolInputError({ parameter: "end", category: "range", message: "OutOfRangeError: window" });
}

const transactions: Omit<ToolOptions<{ start: string; end: string }>, "version" | "schema" | "description"> = {
  risk: { mutates: false },
  example: { start: "2026-01-01", end: "2026-01-31" },
  mends: days,
  async run({ start, end }, { time, random }) {
    await time.sleep(random.whole(60, 240));
    checkRange({ start, end });
    return { result: { start, end, transactions: random.whole(3, 180) } };
  },
};

/** Any text passes the schema, so that the tool itself has to refuse what is no date. */
export const listTransactions1 = defineTool("list_transactions", {
  ...transactions,
  description: "Lists the transactions between two days.",
  version: "1",
  schema: z.strictObject({ start: z.string(), end: z.string() }),
});

/** The schema says what a day looks like, and models write fewer that are none. */
export const listTransactions2 = defineTool("list_transactions", {
  ...transactions,
  description: "Lists the transactions between two days, such as 2026-01-15, of at most one month.",
  version: "2",
  schema: z.strictObject({ start: z.iso.date(), end: z.iso.date() }),
});

export const createExport = defineTool("create_export", {
  description: "Begins an export. Ask export_status for how it ends.",
  version: "3",
  risk: { mutates: true, reversible: true },
  schema: z.strictObject({
    dataset: z.enum(DATASETS),
    start: z.iso.date(),
    end: z.iso.date(),
    format: z.enum(FORMATS),
  }),
  example: { dataset: "transactions", start: "2026-01-01", end: "2026-01-31", format: "csv" },
  mends: {
    ...days,
    dataset: wordMeant(DATASETS, {}),
    format: (...given) =>
      given[0] === undefined
        ? "csv"
        : wordMeant(FORMATS, { excel: "xlsx", xls: "xlsx", spreadsheet: "xlsx" })(...given),
  },
  async run({ start, end }, { shop, time, random }) {
    await time.sleep(random.whole(40, 160));
    checkRange({ start, end });
    const id = `exp_${random.whole(10_000_000, 99_999_999)}`;
    shop.exports.set(id, { endsAt: time.now() + random.whole(800, 5_000), fails: random.chance(EXPORTS_THAT_FAIL) });
    return { result: { export_id: id, state: "accepted" }, state: "accepted", continuation: id };
  },
});

export const exportStatus = defineTool("export_status", {
  description: "Says how far an export has come.",
  version: "1",
  risk: { mutates: false },
  schema: z.strictObject({ export_id: z.string().regex(/^exp_\d{8}$/) }),
  example: { export_id: "exp_48291307" },
  mends: {
    export_id: (received) => {
      const digits = /\d{8}/.exec(String(received))?.[0];
      return digits === undefined ? undefined : `exp_${digits}`;
    },
  },
  async run({ export_id }, { shop, time, random }) {
    await time.sleep(random.whole(20, 80));
    const known = shop.exports.get(export_id);
    if (known === undefined) {
      const message = "LookupError: no row matches the given key";
      throw new ToolInputError({ parameter: "export_id", category: "custom", message });
    }
    const state = time.now() < known.endsAt ? "started" : known.fails ? "failed" : "completed";
    return { result: { export_id, state }, state, continuation: export_id };
  },
});
