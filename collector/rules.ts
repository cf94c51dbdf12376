/**
 * Rules files: what an error text means, said by the person who owns the tools.
 *
 * An ordered list in YAML or JSON; the first rule that matches a text decides. Transcripts without an error flag need
 * one, because nothing else tells an error from a result.
 */
import { createHash } from "node:crypto";
import {
  FAILURE_CLASSES,
  type FailureClass,
  RETRYABILITIES,
  type Retryability,
} from "@mulligan/instrumentation/internal/semconv";
import { parse } from "yaml";
import { z } from "zod";

/** Only so much of a text is matched: a pattern that backtracks badly meets a bounded text, and reasons stand early. */
export const MATCHED_CHARACTERS = 20_000;

const MAX_BYTES = 64 * 1024;
const MAX_RULES = 1000;
/** A list of rules needs no YAML aliases; a few are harmless, a file that expands them by the million is refused. */
const MAX_ALIASES = 20;

export interface Rule {
  /** Exact name of the tool; absent: every tool. */
  readonly tool?: string;
  readonly text: RegExp;
  readonly failureClass: FailureClass;
  /** Parameter that the error is about, as the schema names it. */
  readonly parameter?: string;
  readonly category?: string;
  readonly retryability?: Retryability;
}

export interface Rules {
  /** Name of the file, without folders. */
  readonly name: string;
  /** Of the file's bytes: other rules read the same transcript anew. */
  readonly sha256: string;
  readonly rules: readonly Rule[];
}

export interface RuleMatch {
  readonly failureClass: FailureClass;
  readonly parameter?: string;
  /** The parameter stood in the error text, where the owner of the rules wrote none: it may be a value. */
  readonly captured?: true;
  readonly category?: string;
  readonly retryability?: Retryability;
}

/** The file cannot be used: the message names file, rule, field, what came and what to write. */
export class RulesError extends Error {
  override name = "RulesError";
}

/** A parameter path as fingerprints write it: `start`, `passengers.[].name`. */
const PARAMETER = /^[A-Za-z_$*][A-Za-z0-9_$*-]*(?:\.(?:\[\]|[A-Za-z_$*][A-Za-z0-9_$*-]*))*$/;
const PARAMETER_LENGTH = 128;

/** Whether a captured or written name can stand in a fingerprint. */
function isParameterPath(text: string): boolean {
  return text.length <= PARAMETER_LENGTH && PARAMETER.test(text);
}

const rule = z.strictObject({
  tool: z.string().min(1).max(256).optional(),
  text: z.string().min(1).max(2000),
  class: z.enum(FAILURE_CLASSES),
  parameter: z.string().refine(isParameterPath).optional(),
  category: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,63}$/)
    .optional(),
  retryability: z.enum(RETRYABILITIES).optional(),
});

/** What to write in each field, for error texts. */
const EXPECTED: Readonly<Record<keyof z.infer<typeof rule>, string>> = {
  tool: "the exact name of a tool, for example `tool: book_flight`; leave it out for every tool",
  text: "a regular expression in quotes, for example `text: '^Error: unknown date'`",
  class: `one of ${FAILURE_CLASSES.join(", ")}`,
  parameter: "the name of a parameter, for example `parameter: start_date` or `parameter: passengers.[].name`",
  category: "lower-case letters, digits and _, for example `category: date_format`",
  retryability: `one of ${RETRYABILITIES.join(", ")}`,
};

/**
 * Reads a rules file.
 * @param name of the file, for messages; `.json` is read as JSON, everything else as YAML 1.2 (which JSON is part of)
 * @throws RulesError that says which rule and field is wrong and what to write
 */
export function readRules(name: string, bytes: Uint8Array): Rules {
  const list = parseFile(name, bytes);
  if (!Array.isArray(list)) {
    throw new RulesError(
      `${name}: expected a list of rules, got ${nameOf(list)}. Write one rule a list item, for example:\n- text: '^Error'\n  class: tool_input`,
    );
  }
  if (list.length > MAX_RULES) throw new RulesError(`${name}: ${list.length} rules, expected at most ${MAX_RULES}.`);
  const rules = list.map((item, index) => readRule(`${name}, rule ${index + 1}`, item));
  return { name, sha256: createHash("sha256").update(bytes).digest("hex"), rules };
}

/** The first rule that matches, or null. `tool` is the name that the model called. */
export function matchRules(rules: readonly Rule[], tool: string, text: string): RuleMatch | null {
  const matched = text.slice(0, MATCHED_CHARACTERS);
  for (const { tool: onlyTool, text: pattern, failureClass, parameter, category, retryability } of rules) {
    if (onlyTool !== undefined && onlyTool !== tool) continue;
    const match = pattern.exec(matched);
    if (match === null) continue;
    const captured = match.groups?.parameter;
    const named = parameter ?? (captured !== undefined && isParameterPath(captured) ? captured : undefined);
    return {
      failureClass,
      ...(named === undefined ? {} : { parameter: named }),
      ...(named === undefined || parameter !== undefined ? {} : { captured: true as const }),
      ...(category === undefined ? {} : { category }),
      ...(retryability === undefined ? {} : { retryability }),
    };
  }
  return null;
}

function parseFile(name: string, bytes: Uint8Array): unknown {
  if (bytes.length > MAX_BYTES) {
    throw new RulesError(`${name}: ${bytes.length} bytes, expected a rules file of at most ${MAX_BYTES}.`);
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new RulesError(`${name}: not valid UTF-8. Save the file as UTF-8.`);
  }
  try {
    return name.endsWith(".json") ? JSON.parse(text) : parse(text, { maxAliasCount: MAX_ALIASES, prettyErrors: true });
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : "";
    const advice = /alias/i.test(reason)
      ? "Write the rules out: a list of rules needs no YAML aliases."
      : "Put the regular expressions in single quotes, for example `text: '^Error'`.";
    throw new RulesError(`${name}: ${reason || "cannot be parsed"}. ${advice}`, { cause: error });
  }
}

function readRule(place: string, item: unknown): Rule {
  const parsed = rule.safeParse(item);
  if (!parsed.success) throw new RulesError(explain(place, item, parsed.error.issues[0]!));
  const { text, class: failureClass, tool, parameter, category, retryability } = parsed.data;
  return {
    text: compile(place, text),
    failureClass,
    ...(tool === undefined ? {} : { tool }),
    ...(parameter === undefined ? {} : { parameter }),
    ...(category === undefined ? {} : { category }),
    ...(retryability === undefined ? {} : { retryability }),
  };
}

function compile(place: string, text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (error) {
    const hint = text.includes("(?P<")
      ? "Write named groups as (?<parameter>…), without the P."
      : text.startsWith("(?")
        ? "Flags such as (?i) at the start are not known here: write [Ee]rror, or (?i:error)."
        : "Escape brackets and parentheses that are meant literally, for example `\\(`.";
    const reason = error instanceof Error ? error.message : "it cannot be compiled";
    throw new RulesError(`${place}, field \`text\`: ${reason}. ${hint}`, { cause: error });
  }
}

function explain(place: string, item: unknown, issue: z.core.$ZodIssue): string {
  if (issue.path.length === 0 && issue.code === "unrecognized_keys") {
    const known = Object.keys(EXPECTED).join(", ");
    return `${place}: the field ${shown(issue.keys[0])} is not known. A rule has ${known}.`;
  }
  if (issue.path.length === 0) {
    return `${place}: expected fields, got ${nameOf(item)}. For example:\n- text: '^Error'\n  class: tool_input`;
  }
  const field = String(issue.path[0]) as keyof typeof EXPECTED;
  const came = (item as Record<string, unknown>)[field];
  const what = came === undefined ? "is missing" : `is ${shown(came)}`;
  return `${place}, field \`${field}\`: ${what}. Write ${EXPECTED[field]}.`;
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a set of fields" : `the ${typeof value} ${shown(value)}`;
}

function shown(value: unknown): string {
  if (typeof value === "object" && value !== null) return nameOf(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
