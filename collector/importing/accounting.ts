/** What an import read, left out and could not know: nothing is dropped in silence (IMPORTS.md, rule 9). */
import type { Place, TranscriptRun } from "../transcripts/types.ts";

interface PlaceInFile extends Place {
  readonly file: string;
}

/** Counts of one file. Field names are those of the `summary` answer. */
export interface ImportAccounting {
  readonly file: string;
  readonly source: string;
  readonly format: string;
  /** Name of the rules file; null where none was given. */
  readonly rules: string | null;
  runs: number;
  turns: number;
  text_only_turns: number;
  calls: number;
  results: number;
  unanswered_calls: number;
  /** Calls by failure class, `ok` for those with a result that is none; calls without a result are in neither. */
  calls_by_class: Record<string, number>;
  orphan_results: number;
  /** What earlier imports, or an earlier place of this file, had already: `lines`, `turns`, `calls`, `results`. */
  duplicates_skipped: Record<string, number>;
  left_out: Record<string, number>;
  /** The first of the broken places; how many there are is `broken_places`. */
  broken_lines: PlaceInFile[];
  broken_places: number;
  /** The first of the orphan results' places. */
  orphans: PlaceInFile[];
  /** Lines that said something else before, and now say this. */
  lines_replaced: number;
  /** Runs under another run's key with other calls: stored apart, as `key~2`. */
  runs_kept_apart: number;
  bytes: number;
  /** Digest of what decides how the file is read: rules, signing key, version of the importer. */
  settings: string;
}

/** Places that are listed; the others are only counted. */
const LISTED = 100;

export function emptyAccounting(
  about: Pick<ImportAccounting, "file" | "source" | "format" | "rules" | "bytes" | "settings">,
): ImportAccounting {
  return {
    ...about,
    runs: 0,
    turns: 0,
    text_only_turns: 0,
    calls: 0,
    results: 0,
    unanswered_calls: 0,
    calls_by_class: {},
    orphan_results: 0,
    duplicates_skipped: {},
    left_out: {},
    broken_lines: [],
    broken_places: 0,
    orphans: [],
    lines_replaced: 0,
    runs_kept_apart: 0,
  };
}

export function addBroken(accounting: ImportAccounting, { line, message }: Place): void {
  accounting.broken_places += 1;
  list(accounting.broken_lines, accounting.file, { line, message });
}

export function addRun(accounting: ImportAccounting, run: TranscriptRun): void {
  accounting.runs += 1;
  const callingTurns = new Set<number>();
  let results = 0;
  let calls = 0;
  for (const { part, turn, record } of run.lines) {
    if (part === "turn") accounting.turns += 1;
    if (part === "proposal") {
      calls += 1;
      callingTurns.add(turn);
    }
    if (part === "result" && record.type === "call") {
      results += 1;
      add(accounting.calls_by_class, record.failure_class ?? "ok", 1);
    }
  }
  accounting.calls += calls;
  accounting.results += results;
  accounting.unanswered_calls += calls - results;
  accounting.text_only_turns += run.lines.filter((line) => line.part === "turn").length - callingTurns.size;
  accounting.orphan_results += run.orphanResults.length;
  for (const place of run.orphanResults) list(accounting.orphans, accounting.file, place);
  for (const [reason, count] of Object.entries(run.leftOut)) add(accounting.left_out, reason, count);
}

export function add(counts: Record<string, number>, name: string, count: number): void {
  if (count > 0) counts[name] = (counts[name] ?? 0) + count;
}

function list(places: PlaceInFile[], file: string, { line, message }: Place): void {
  if (places.length < LISTED) places.push({ file, line, message });
}
