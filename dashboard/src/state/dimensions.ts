/** What a scope can be narrowed by, in the words of a page. The names are the API's. */
import type { Dimension } from "../../../analytics/client/client.ts";

export const DIMENSION_WORDS: Readonly<Record<Dimension, string>> = {
  tool: "Tool",
  model: "Model",
  agent: "Agent",
  environment: "Environment",
  risk: "Risk",
  schema_version: "Schema version",
  template_version: "Template version",
  fingerprint: "Fingerprint",
  rung: "Rung",
  retryability: "Retryability",
  failure_class: "Failure class",
};

export const DIMENSIONS = Object.keys(DIMENSION_WORDS) as readonly Dimension[];

/** In a parameter a comma separates values and `null` is a missing one. */
export function parameterOf(value: string | null): string {
  return value === null ? "null" : value.replaceAll(",", "\\,");
}

/** Values of one dimension in a query string, in the API's form: repeated or separated by commas. */
export function valuesOf(params: URLSearchParams, dimension: Dimension): string[] {
  return params
    .getAll(dimension)
    .flatMap((text) => text.split(/(?<!\\),/))
    .filter((value) => value.trim() !== "");
}

/** What a person reads for a parameter's value. */
export function valueWords(parameter: string): string {
  return parameter === "null" ? "not recorded" : parameter.replaceAll("\\,", ",");
}
