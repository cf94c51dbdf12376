/** Who a run of a file and its lines are: the same run read again, from whatever copy, has the same ids. */
import { createHash } from "node:crypto";

/** A source's name: it stands before the first `/` of a run id. */
const SOURCE = /^[A-Za-z0-9_.-]{1,64}$/;
/** The source of spans. */
const TAKEN = "otlp";

export interface RunIdentity {
  readonly runId: string;
  /** 32 hex digits, in the place of a trace id. */
  readonly traceId: string;
  /** The file's key, for people; of a run kept apart from another under the same key: `key~2`. */
  readonly runKey: string;
}

/** @throws a RangeError that says what a source may be called */
export function checkedSource(source: string): string {
  if (SOURCE.test(source) && source !== TAKEN) return source;
  const shown = JSON.stringify(source.slice(0, 40));
  const expected = "1 to 64 letters, digits, dots, dashes and underscores, for example --source tau-gpt-4o";
  if (source === TAKEN)
    throw new RangeError(`--source is ${shown}, which names spans. Write another one: ${expected}.`);
  throw new RangeError(`--source is ${shown}, expected ${expected}.`);
}

/** A source's name made of a file's: what cannot stand in one becomes a dash, and a digest keeps such names apart. */
export function sourceNamed(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_.-]+/g, "-");
  if (plain === name && SOURCE.test(name) && name !== TAKEN) return name;
  return `${plain.slice(0, 50)}-${sha256(name).slice(0, 8)}`;
}

/**
 * Source, the file's own key, and model (IMPORTS.md, rule 3): task and trial are equal over the models of a benchmark.
 * @param copy 1 for the run that was first seen under the key, 2 for another one with other content, and so on
 */
export function identityOf(source: string, key: string, model: string | null, copy: number): RunIdentity {
  const runKey = copy === 1 ? key : `${key}~${copy}`;
  const inSource = model === null ? runKey : `${runKey}@${model}`;
  return {
    runId: `${source}/${inSource}`,
    traceId: sha256(`${source}\0${inSource}`).slice(0, 32),
    runKey,
  };
}

/** 16 hex digits, in the place of a span id. */
export function lineSpanId(lineId: string): string {
  return sha256(lineId).slice(0, 16);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
