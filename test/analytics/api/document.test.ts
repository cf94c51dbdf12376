import { describe, expect, test } from "vitest";
import { openApiDocument } from "../../../analytics/api/app.ts";
import { TERMINAL_OUTCOMES } from "../../../analytics/metrics/counts.ts";
import { METRICS } from "../../../analytics/metrics/index.ts";

type Schema = Readonly<Record<string, unknown>>;

const document = openApiDocument();
const components = document.components?.schemas as Record<string, Schema>;

/** Every schema of the document, however deep. */
function* schemasOf(value: unknown, seen = new Set<unknown>()): Generator<Schema> {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  yield value as Schema;
  for (const part of Object.values(value)) yield* schemasOf(part, seen);
}

function resolve(schema: Schema): Schema {
  const name = typeof schema.$ref === "string" ? schema.$ref.split("/").at(-1)! : undefined;
  return name === undefined ? schema : components[name]!;
}

const REPAIR_RATES = METRICS.map(({ name }) => name as string).filter((name) => name.includes("repair"));

describe("the OpenAPI document", () => {
  test("requires the terminal outcomes in every object that holds repair rates", () => {
    const holders = [...schemasOf(document)].filter((schema) => {
      const rates = (schema.properties as Record<string, Schema> | undefined)?.rates;
      const properties = rates === undefined ? undefined : (resolve(rates).properties as object | undefined);
      return properties !== undefined && REPAIR_RATES.some((name) => name in properties);
    });
    expect(holders.length).toBeGreaterThanOrEqual(5);
    for (const holder of holders) {
      expect(holder.required).toEqual(expect.arrayContaining(["rates", "terminal_outcomes", "inferred_turns"]));
      const outcomes = resolve((holder.properties as Record<string, Schema>).terminal_outcomes!);
      expect(outcomes.required).toEqual([...TERMINAL_OUTCOMES]);
    }
  });

  test("holds repair rates in no other place than rates and the worst tool beside them", () => {
    const holders = [...schemasOf(document)].filter((schema) => {
      const properties = schema.properties as object | undefined;
      return properties !== undefined && REPAIR_RATES.some((name) => name in properties);
    });
    const known = [
      components.Rates,
      components.WorstTool,
      (components.SummaryAnswer!.properties as Record<string, Schema>).rates,
    ];
    for (const holder of holders) {
      const named =
        known.includes(holder) ||
        Object.keys(holder.properties as object).every((name) => METRICS.some((metric) => metric.name === name));
      expect(named, JSON.stringify(Object.keys(holder.properties as object))).toBe(true);
    }
  });

  test("requires rows per risk class and the worst tool wherever a whole is answered", () => {
    for (const name of ["Group", "Fingerprint", "SummaryAnswer", "ToolSummary"]) {
      expect(components[name]?.required, name).toEqual(expect.arrayContaining(["by_risk", "worst_tool"]));
    }
  });

  test("describes every route with its refusals", () => {
    expect(Object.keys(document.paths ?? {}).sort()).toEqual([
      "/api/v1/episodes",
      "/api/v1/fingerprints",
      "/api/v1/funnel",
      "/api/v1/metrics",
      "/api/v1/runs",
      "/api/v1/runs/{id}",
      "/api/v1/summary",
      "/api/v1/timeline",
      "/api/v1/tools",
      "/api/v1/values",
    ]);
    expect(document.paths?.["/api/v1/runs/{id}"]?.get?.responses).toHaveProperty("404");
    expect(document.paths?.["/api/v1/funnel"]?.get?.responses).toHaveProperty("400");
  });
});
