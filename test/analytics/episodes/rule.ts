/** A rule of METRICS.md and how to take it out of the source: a text that occurs once, and what stands there instead. */
export interface Rule {
  readonly rule: string;
  /** Under `analytics/episodes/`. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** Short for a rule whose removal changes one line of a file. */
export const inFile =
  (file: string) =>
  (rule: string, find: string, replace: string): Rule => ({ rule, file, find, replace });
