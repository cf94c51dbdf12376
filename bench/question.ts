/** What a question of the benchmark is. One file a question; `main.ts` lists them. */

export interface QuestionOptions {
  /** Tool calls to measure with. */
  readonly calls: number;
  /** How often everything is measured; the parts of a round take turns. */
  readonly rounds: number;
  /** A Postgres server on which a database may be created. */
  readonly databaseUrl: string;
  /** Told in a line each, while it goes on. */
  readonly say: (line: string) => void;
  /** Aborted when a person has had enough: what was created is dropped first. */
  readonly signal: AbortSignal;
}

/** A table of results; the first column names what was measured. */
export interface ResultTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Result {
  /** What was measured with: sizes, and the server's version. */
  readonly sizes: Readonly<Record<string, string>>;
  readonly tables: readonly ResultTable[];
  /** What a reader must know of the tables. */
  readonly notes: readonly string[];
  /** The ratios that the project has promised, and whether they were reached. */
  readonly promises: readonly Promised[];
  /** The same as numbers, for `--json`. */
  readonly numbers: Readonly<Record<string, unknown>>;
}

export interface Promised {
  readonly text: string;
  readonly kept: boolean;
}

export interface Question {
  readonly name: string;
  /** The heading of its results. */
  readonly title: string;
  /** One line of the help. */
  readonly summary: string;
  readonly fullCalls: number;
  readonly fullRounds: number;
  /** @throws {CannotMeasure} where this machine lacks something that it needs. */
  ask(options: QuestionOptions): Promise<Result>;
}

/** Something is missing here that the question needs; the message says what, and how to get it. Nothing was measured. */
export class CannotMeasure extends Error {
  override name = "CannotMeasure";
}
