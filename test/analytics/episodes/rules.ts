import type { Rule } from "./rule.ts";
import { OPENING, OTHER_TOOLS, PAIRING, RESOLVING, ROLES, WINDOWS } from "./rules-of-links.ts";
import { COSTS, SETTLING, STANDING, SUMMARY } from "./rules-of-numbers.ts";

/** Every rule that the tests hold, by subject. */
export const RULES: readonly { readonly title: string; readonly rules: readonly Rule[] }[] = [
  { title: "What opens an episode", rules: OPENING },
  { title: "What ends it", rules: RESOLVING },
  { title: "Windows", rules: WINDOWS },
  { title: "Pairing", rules: PAIRING },
  { title: "Unknown tools", rules: OTHER_TOOLS },
  { title: "First attempts", rules: ROLES },
  { title: "Settled", rules: SETTLING },
  { title: "What an episode shows", rules: SUMMARY },
  { title: "What it costs", rules: COSTS },
  { title: "Where a run stands", rules: STANDING },
];
