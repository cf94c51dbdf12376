import fc from "fast-check";
import { test } from "vitest";
import { loadLinking, SOURCE } from "./linking.ts";
import { LAWS, randomCase } from "./properties.ts";

const linking = await loadLinking(SOURCE);

test.each(Object.entries(LAWS))("%s", (_title, law) => {
  const property = fc.property(randomCase, ({ run, settings, shuffled }) => law(run, settings, linking, shuffled));
  fc.assert(property, { numRuns: 500 });
});
