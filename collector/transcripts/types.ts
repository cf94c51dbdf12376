/**
 * What a format's reader makes of a file: runs, each a handful of lines that are already free of content.
 *
 * A reader is pure: bytes, rules and a signer in, runs and broken places out. It knows no database and no clock.
 */
import type { CallRecord, RunRecord, TurnRecord } from "../records.ts";
import type { ErrorTexts } from "./error-texts.ts";
import type { Signer } from "./signer.ts";

/** What one line of a file (or part of it) says, without the run's identity, which the importer decides. */
export type LineRecord = Omit<RunRecord, "run_id"> | Omit<TurnRecord, "run_id"> | Omit<CallRecord, "run_id">;

export interface TranscriptLine {
  /** Identity within the run, such as `message/12`: the same line read again has the same id. */
  readonly id: string;
  /** Model turn that the line stands in; a result stands in the turn of its call. */
  readonly turn: number;
  readonly part: "run" | "turn" | "proposal" | "result";
  readonly record: LineRecord;
}

export interface TranscriptRun {
  readonly kind: "run";
  /** The file's own key of the run, or one made of the file's name where it has none. */
  readonly key: string;
  /** The run's first real model; null where the file names none. */
  readonly model: string | null;
  readonly lines: readonly TranscriptLine[];
  /** Results that answer no call of the run. */
  readonly orphanResults: readonly Place[];
  /** What the reader saw and does not count, by reason: a message of an unknown role, say. */
  readonly leftOut: Readonly<Record<string, number>>;
}

/** Where in the file; `line` counts from 1. */
export interface Place {
  readonly line: number;
  readonly message: string;
}

export interface BrokenPlace extends Place {
  readonly kind: "broken";
}

export interface ReadContext {
  /** Name of the file as people call it: part of the key of runs that have none of their own. */
  readonly file: string;
  readonly signer: Signer;
  readonly errorTexts: ErrorTexts;
}

/** One format of `--format`. */
export interface TranscriptFormat {
  readonly name: string;
  /** What its files are, in words. */
  readonly title: string;
  /**
   * Source name of a file where `--source` gives none. Two files share one only where the format's run keys are
   * unique by themselves.
   */
  defaultSource(file: string): string;
  read(bytes: AsyncIterable<Uint8Array>, context: ReadContext): AsyncIterable<TranscriptRun | BrokenPlace>;
}
