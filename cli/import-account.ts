/** The account of an import in plain words. */
import { formatCount, formatCountOf, formatTime } from "../analytics/client/format.ts";
import type { ImportAccounting, ImportReport } from "../collector/import.ts";
import { escaped } from "./terminal.ts";

/** Places that are printed; all that are listed are in `--json`. */
const SHOWN_PLACES = 10;

export function describeImport({ accounting, importedBefore }: ImportReport): string {
  const head = `${escaped(accounting.file)}: ${describeCounts(accounting)}`;
  if (importedBefore !== null) {
    return `${head}\n  imported before, at ${formatTime(importedBefore.toISOString())}, with the same rules: nothing was added.\n`;
  }
  return `${head}\n${describeDetails(accounting)}`;
}

function describeCounts({ runs, turns, text_only_turns, calls, results }: ImportAccounting): string {
  return [
    formatCountOf(runs, "run"),
    `${formatCountOf(turns, "model turn")} (${formatCount(text_only_turns)} text only)`,
    formatCountOf(calls, "tool call"),
    formatCountOf(results, "result"),
  ].join(", ");
}

export function describeDetails(accounting: ImportAccounting): string {
  const { source, format, rules, duplicates_skipped, left_out, lines_replaced, runs_kept_apart } = accounting;
  const lines = [
    `source ${source}, format ${format}, ${rules === null ? "no rules" : `rules ${rules}`}`,
    ...failures(accounting),
    counted("calls without a result, their verdict is unknown", accounting.unanswered_calls),
    ...places("results without a call, counted nowhere", accounting.orphan_results, accounting.orphans),
    ...places("places that could not be read", accounting.broken_places, accounting.broken_lines),
    named("known before, not counted again", duplicates_skipped),
    named("left out", left_out),
    counted("lines that said something else in an earlier import and were replaced", lines_replaced),
    counted(
      "runs under the key of another run with other calls, kept apart as KEY~2: --source tells where runs come from",
      runs_kept_apart,
    ),
  ];
  return lines
    .filter((line) => line !== null)
    .map((line) => `  ${escaped(line)}\n`)
    .join("");
}

function failures({ calls_by_class, results, rules }: ImportAccounting): string[] {
  const failed = Object.entries(calls_by_class).filter(([name]) => name !== "ok");
  if (failed.length > 0)
    return [`failed calls: ${failed.map(([name, count]) => `${formatCount(count)} ${name}`).join(", ")}`];
  if (results === 0) return [];
  const advice = "these messages carry no error flag, so say what your tools' errors look like";
  const how = rules === null ? "with --rules FILE (examples/rules/tau-bench.yaml shows one)" : `in ${rules}`;
  return [`no result was recognised as an error; if there are any: ${advice}, ${how}`];
}

function places(
  what: string,
  count: number,
  listed: readonly { readonly line: number; readonly message: string }[],
): string[] {
  if (count === 0) return [];
  const shown = listed.slice(0, SHOWN_PLACES).map(({ line, message }) => `  line ${line}: ${message}`);
  const more = count > shown.length ? [`  and ${formatCount(count - shown.length)} more`] : [];
  return [`${what}: ${formatCount(count)}`, ...shown, ...more];
}

function counted(what: string, count: number): string | null {
  return count === 0 ? null : `${what}: ${formatCount(count)}`;
}

function named(what: string, counts: Readonly<Record<string, number>>): string | null {
  const entries = Object.entries(counts);
  if (entries.length === 0) return null;
  return `${what}: ${entries.map(([name, count]) => `${formatCount(count)} ${name.replaceAll("_", " ")}`).join(", ")}`;
}
