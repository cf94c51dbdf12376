/** What an error text says about its call, reduced to what may be stored: a class, a fingerprint, a retryability. */
import type { FailureClass, Retryability, Verdict } from "@mulligan/instrumentation/internal/semconv";
import { matchRules, type Rule } from "../rules.ts";
import { builtInClass } from "./built-in-texts.ts";
import { maskText } from "./mask.ts";
import type { Signer } from "./signer.ts";

export interface ErrorFacts {
  readonly failureClass: FailureClass;
  readonly verdict: Verdict;
  readonly fingerprint: string;
  /** Parameter of the fingerprint, absent where it names none. */
  readonly parameter?: string;
  readonly retryability?: Retryability;
  readonly textId: string;
}

interface FailedCall {
  readonly tool: string;
  /** As the model wrote them; null where the source does not have them. */
  readonly argumentsKind: "object" | "other_json" | "no_json" | null;
  /** Top-level parameters of the tool's schema; null where the source has no schema. */
  readonly declared: ReadonlySet<string> | null;
  /** Names of the call's own top-level arguments. */
  readonly argumentNames: readonly string[];
}

export interface ErrorTexts {
  /** The facts of a text that is an error, or null where neither the rules nor a framework's own text say so. */
  read(text: string, call: FailedCall): ErrorFacts | null;
  /** Parameters of a tool that its owner named in the rules: names that may be shown. */
  namedParameters(tool: string): readonly string[];
}

/** Open categories a tool may have; further texts share `text_other`. */
const SHAPES_PER_TOOL = 200;
const OTHER_SHAPE = "text_other";

/**
 * @param known open categories that each tool has already from earlier imports, so that the bound holds over all of
 *   them; it is added to
 */
export function createErrorTexts(
  rules: readonly Rule[],
  signer: Signer,
  known: Map<string, Set<string>> = new Map(),
): ErrorTexts {
  const shapeOf = (tool: string, text: string): string => {
    const shape = `text_${signer.digest("text", maskText(text)).slice(0, 8)}`;
    const shapes = known.get(tool) ?? new Set();
    known.set(tool, shapes);
    if (!shapes.has(shape) && shapes.size >= SHAPES_PER_TOOL) return OTHER_SHAPE;
    shapes.add(shape);
    return shape;
  };

  return {
    read(text, call) {
      const match = matchRules(rules, call.tool, text);
      const failureClass = match?.failureClass ?? builtInClass(text);
      if (failureClass === null) return null;
      const shape = shapeOf(call.tool, text);
      const parameter =
        match?.parameter === undefined ? undefined : shownPath(match.parameter, match.captured === true, call);
      const category = match?.category ?? ownCategory(failureClass, call) ?? shape;
      return {
        failureClass,
        verdict: verdictOf(failureClass),
        fingerprint: `${classWord(failureClass)}:${parameter ?? "$"}:${category}`,
        textId: shape,
        ...(parameter === undefined || parameter === "$" ? {} : { parameter }),
        ...(match?.retryability === undefined ? {} : { retryability: match.retryability }),
      };
    },
    namedParameters(tool) {
      return rules.flatMap((rule) =>
        rule.parameter !== undefined && (rule.tool === undefined || rule.tool === tool)
          ? [topLevel(rule.parameter)]
          : [],
      );
    },
  };
}

/** First segment of a parameter path: the argument that digests name. */
export function topLevel(path: string): string {
  return path.split(".", 1)[0]!;
}

/**
 * A name that the schema does not declare is text of the model and shown as `*`. Without a schema, a word that a rule
 * took from the error text may just as well be a value: it is shown only where the call has an argument of that name.
 */
function shownPath(path: string, captured: boolean, { declared, argumentNames }: FailedCall): string {
  if (path === "$") return path;
  const name = topLevel(path);
  const known = declared === null ? !captured || argumentNames.includes(name) : declared.has(name);
  return known ? path : "*";
}

function classWord(failureClass: FailureClass): string {
  return failureClass === "schema" || failureClass === "tool_input" ? "invalid" : failureClass;
}

/** Classes whose category the arguments decide, whatever the text says (FINGERPRINTS.md). */
function ownCategory(failureClass: FailureClass, call: FailedCall): string | null {
  if (failureClass === "unknown_tool") return "unknown_tool";
  if (failureClass !== "malformed") return null;
  return call.argumentsKind === "other_json" ? "not_object" : "malformed_json";
}

/** METRICS.md, *Verdict*: what happened decides. */
function verdictOf(failureClass: FailureClass): Verdict {
  switch (failureClass) {
    case "malformed":
    case "schema":
    case "unknown_tool":
    case "tool_input":
      return "rejected";
    case "denied":
    case "cancelled":
    case "unclassified":
      return "unknown";
    case "execution":
    case "timeout":
    case "output_invalid":
      return "accepted";
  }
}
