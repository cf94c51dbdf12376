const MOST_CHARACTERS = 40;
const SECRET_NAME =
  /pass(word|phrase|code)?|secret|token|credential|api_?key|authorization|cookie|private|pin$|ssn|cvv/i;
/** Long runs without a space look like keys and tokens; dates, ids and words are shorter. */
const SECRET_VALUE = /[A-Za-z0-9+/_-]{24,}|^(sk|pk|ghp|xox[abp])[-_]/;

/**
 * A short, quoted part of what came, for the model's eyes only; undefined where none is safe to show: an object, a
 * secret by its argument's name or by its looks.
 */
export function quoteReceived(parameter: string | undefined, value: unknown): string | undefined {
  if (parameter !== undefined && SECRET_NAME.test(parameter)) return undefined;
  if (value === null || typeof value === "boolean" || typeof value === "number") return String(value);
  if (typeof value !== "string")
    return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : undefined;
  if (SECRET_VALUE.test(value)) return undefined;
  return JSON.stringify(value.length > MOST_CHARACTERS ? `${value.slice(0, MOST_CHARACTERS)}…` : value).toWellFormed();
}
