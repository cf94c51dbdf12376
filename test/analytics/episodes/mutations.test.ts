import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { loadLinking, SOURCE } from "./linking.ts";
import { DOCUMENT, linkingRules } from "./linking-rules.ts";
import { type Noticed, noticed, withoutRule } from "./mutants.ts";
import type { Rule } from "./rule.ts";
import { RULES } from "./rules.ts";

const rules = RULES.flatMap((group) => group.rules);
const known = new Map<Rule, Promise<Noticed>>();

function noticedBy(rule: Rule): Promise<Noticed> {
  const found = known.get(rule) ?? withoutRule(rule);
  known.set(rule, found);
  return found;
}

test("with every rule in place no vector and no property fails", async () => {
  expect(noticed(await loadLinking(SOURCE))).toEqual({ vectors: [], properties: [] });
});

test.each(rules)("without the rule “$rule” a vector or a property fails", async (rule) => {
  const { vectors, properties } = await noticedBy(rule);
  expect(vectors.length + properties.length).toBeGreaterThan(0);
});

test("docs/linking-rules.md has the table of them", async () => {
  expect(await readFile(DOCUMENT, "utf8")).toBe(await linkingRules(noticedBy));
});
