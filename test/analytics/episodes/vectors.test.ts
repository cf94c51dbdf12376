import { describe, expect, test } from "vitest";
import { loadLinking, SOURCE } from "./linking.ts";
import { readVectors } from "./vector-run.ts";
import { failuresOf, find } from "./vectors.ts";

const linking = await loadLinking(SOURCE);

describe.each(["scenarios.json", "scenarios-more.json"] as const)("%s", (file) => {
  test.each(readVectors(file))("$name", (vector) => {
    expect(failuresOf(vector, find(vector, linking))).toEqual([]);
  });
});
