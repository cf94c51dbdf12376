import { nearest } from "../questions/nearest.ts";
import { ALL_PARAMETERS, exampleOf } from "../questions/page-query.ts";
import { shown } from "../questions/question-error.ts";
import { SCOPE_PARAMETERS } from "../questions/scope-query.ts";

/** The part of a zod issue that is read here. */
interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
}

/** What a person reads of a request that its schema refuses: the parameter, and what to send instead. */
export function explainIssue(issue: Issue): { field: string; message: string }[] {
  if (issue.code === "unrecognized_keys" && issue.keys !== undefined) {
    return issue.keys.map((key) => {
      if (ALL_PARAMETERS.includes(key)) {
        return { field: key, message: `${key} is a parameter of other questions, not of this one: leave it out.` };
      }
      const close = nearest(key, ALL_PARAMETERS);
      const meant = close === undefined ? "" : ` Did you mean ${close}?`;
      return {
        field: key.slice(0, 40),
        message: `${shown(key)} is no parameter.${meant} Known: ${SCOPE_PARAMETERS.join(", ")}.`,
      };
    });
  }
  const field = issue.path.map(String).join(".") || "query";
  const example = exampleOf(field);
  const once =
    example === undefined ? "" : ` A parameter that takes one value may stand only once. Example: ${example}`;
  return [{ field, message: `${field}: ${issue.message}.${once}` }];
}
