import assert from "node:assert/strict";
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import type { Law } from "./laws.ts";
import { type Linking, loadLinking, SOURCE } from "./linking.ts";
import { LAWS, randomCase } from "./properties.ts";
import type { Rule } from "./rule.ts";
import { readVectors } from "./vector-run.ts";
import { failuresOf, find } from "./vectors.ts";

/** What notices that a rule is missing. */
export interface Noticed {
  readonly vectors: readonly string[];
  readonly properties: readonly string[];
}

const vectors = [...readVectors("scenarios.json"), ...readVectors("scenarios-more.json")];

/** The same runs each time and for every law, so that the table is the same each time. */
const cases = fc.sample(randomCase, { seed: 20_261_103, numRuns: 30 });

/** Puts all vectors and properties to a copy of the pure part of linking that lacks the rule. */
export async function withoutRule({ file, find: text, replace }: Rule): Promise<Noticed> {
  const folder = await mkdtemp(join(tmpdir(), "mulligan-rule-"));
  try {
    for (const name of await readdir(SOURCE)) {
      if (!name.startsWith("linker")) await copyFile(new URL(name, SOURCE), join(folder, name));
    }
    const source = await readFile(new URL(file, SOURCE), "utf8");
    const parts = source.split(text);
    if (parts.length !== 2) {
      throw new Error(`${file} holds the text of a rule ${parts.length - 1} times, and must hold it once: ${text}`);
    }
    await writeFile(join(folder, file), parts.join(replace));
    return noticed(await loadLinking(pathToFileURL(folder + sep)));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What fails in an implementation: nothing, in the right one. */
export function noticed(linking: Linking): Noticed {
  const broken = (law: Law) =>
    cases.some(({ run, settings, shuffled }) => throws(() => law(run, settings, linking, shuffled)));
  return {
    vectors: vectors
      .filter((vector) => throws(() => assert.equal(failuresOf(vector, find(vector, linking)).length, 0)))
      .map(({ name }) => name),
    properties: Object.entries(LAWS)
      .filter(([, law]) => broken(law))
      .map(([title]) => title),
  };
}

function throws(check: () => void): boolean {
  try {
    check();
    return false;
  } catch {
    return true;
  }
}
