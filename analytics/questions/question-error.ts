/** A question that cannot be answered as it was asked. The message names the field, what came and what to send instead. */
export class QuestionError extends Error {
  override name = "QuestionError";
  /** Name of the parameter: `group_by`. */
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** What came, cut and quoted, so that a message can show it without carrying whatever was sent. */
export function shown(value: string): string {
  const printable = value.replaceAll(/[^\x20-\x7e]/g, "?");
  return JSON.stringify(printable.length > 40 ? `${printable.slice(0, 40)}…` : printable);
}
