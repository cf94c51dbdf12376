/** Rules of METRICS.md section 2: what opens and ends an episode, who is paired with whom, which call is a first attempt. */
import { inFile, type Rule } from "./rule.ts";

const kinds = inFile("kinds.ts");
const link = inFile("link.ts");
const pair = inFile("pair.ts");
const compare = inFile("compare.ts");
const settings = inFile("settings.ts");
const episodes = inFile("episodes.ts");
const linkTurns = inFile("link-turns.ts");

const opensOn = (kind: string, failureClass: string) =>
  kinds(
    `A ${kind} episode opens on \`${failureClass}\``,
    `"${failureClass}"${failureClass === "denied" ? "]" : ""}`,
    `"-"${failureClass === "denied" ? "]" : ""}`,
  );

export const OPENING: readonly Rule[] = [
  ...["malformed", "schema", "unknown_tool", "tool_input"].map((failureClass) => opensOn("repair", failureClass)),
  ...["execution", "timeout", "output_invalid", "unclassified"].map((failureClass) =>
    opensOn("recovery", failureClass),
  ),
  kinds("A recovery episode opens on `cancelled`", '"timeout", "cancelled"', '"timeout"'),
  opensOn("denial", "denied"),
  link("Step 4: a paired call opens no episode", " || pairing.calls.has(opening)) continue;", ") continue;"),
];

export const RESOLVING: readonly Rule[] = [
  kinds("A call of unknown verdict resolves nothing", 'if (call.verdict !== "accepted") return false;', ""),
  kinds("A repair is accepted, whatever came of it", "return true;", "return call.failureClass === null;"),
  kinds("A recovery did not fail at all", "return call.failureClass === null;", "return true;"),
  kinds("A sibling episode is not resolved without a result", "if (!call.hasResult) return false;", ""),
  kinds("A denial is not resolved by a denied call", 'call.failureClass !== "denied" && ', ""),
  kinds("A denial is not resolved by a cancelled call", ' && call.failureClass !== "cancelled"', ""),
  link("Step 3: an attempt that resolves ends the episode", "open = open.filter((episode) => !episode.repaired);", ""),
];

export const WINDOWS: readonly Rule[] = [
  link(
    "Step 1 closes before step 2 pairs",
    "open = open.filter((episode) => !windowClosed(episode, turns.of(batch.turn)));",
    "",
  ),
  link("An attempt may stand `W` turns after the one before", "> window;", ">= window;"),
  link("No attempt stands later than that", "> window;", "> window + 1;"),
  link(
    "`W` counts from the last attempt",
    "turns.of(lastTurn(episode)) > window",
    "turns.of(episode.opening.turn) > window",
  ),
  link(
    "Calls of one turn never repair each other",
    "(call) => call.turn)].map(",
    "(call) => call)].map(([{ turn }, own]) => [turn, own] as const).map(",
  ),
  linkTurns("In `tool_calling`, only turns with a call are counted", 'if (basis === "model") {', "{"),
  linkTurns("In `model`, turns of text alone are counted too", 'if (basis === "model") {', "if (false) {"),
  settings("`E` > `W` is refused", "if (eventualWindow > linkWindow) {", "if (false) {"),
  settings("Windows are whole turns, at least 1", "Number.isSafeInteger(value) && ", ""),
];

export const PAIRING: readonly Rule[] = [
  pair("One call to at most one episode", "pairing.calls.has(free[column]!) || ", ""),
  pair("One episode to at most one call a turn", "pairing.episodes.has(episode) || ", ""),
  pair(
    "Step 2a comes before step 2b",
    '  pairByLink(pairing, open, calls);\n  pairMostEqual(pairing, open, calls, (equal) => (equal > 0 ? "digest" : "order"));',
    '  pairMostEqual(pairing, open, calls, (equal) => (equal > 0 ? "digest" : "order"));\n  pairByLink(pairing, open, calls);',
  ),
  pair("`repair_of` links", 'if (episode !== undefined) take(pairing, episode, call, "explicit");', ""),
  pair(
    "`repair_of` may name any attempt of the episode",
    "for (const call of callsOf(episode)) {",
    "for (const call of [episode.opening]) {",
  ),
  pair("A reused id means the latest call with it", "byPlace(call, latest.call) < 0", "byPlace(call, latest.call) > 0"),
  pair("An equal operation id links", "ids.has(call.operationId)", "false"),
  pair("Any attempt may carry the operation id", "callsOf(episode).map((own)", "[episode.opening].map((own)"),
  pair("No operation id equals no operation id", "ids.delete(null);", ""),
  pair(
    "Most equal arguments first",
    "let level = most; level >= least; level--",
    "let level = least; level <= most; level++",
  ),
  compare("Each equal argument counts once", "seen.set(digest, before + 1);", ""),
  compare(
    "An argument's digest counts whatever name it is shown under",
    'shown.slice(shown.lastIndexOf("=") + 1)',
    "shown",
  ),
  pair(
    "Equal to the last attempt, not to the opening call",
    "episode.attempts.at(-1)?.call ?? episode.opening;",
    "episode.opening;",
  ),
  pair("Ties by opening order", "const row of rows", "const row of rows.toReversed()"),
  pair("Ties by the call's ordinal", "equal[column]! <= bestEqual", "equal[column]! < bestEqual"),
  pair("Pairs with nothing in common are still paired", "level >= least; level--", "level > 0; level--"),
  pair("The evidence tells an equal argument from the order alone", '(equal > 0 ? "digest" : "order")', '"digest"'),
];

export const OTHER_TOOLS: readonly Rule[] = [
  link("An unknown tool's episode may be repaired by another tool", "pairOtherTools(pairing, open, calls);", ""),
  link(
    "After step 2 of every tool",
    "  for (const [tool, own] of",
    "    pairOtherTools(pairing, open, calls);\n  for (const [tool, own] of",
  ),
  link("Only an episode's own tool, otherwise", "openOfTool.get(tool) ?? []", "open"),
  pair("Only an unknown tool's", 'episode.opening.failureClass === "unknown_tool"', "true"),
  pair("Only by an accepted call", 'call.verdict === "accepted"', "true"),
  pair("By explicit link", "pairByLink(pairing, unknownTool, accepted);", ""),
  pair("Else with an equal argument at least", ", { least: 1 });", ");"),
  pair("With the most equal ones", "level = most; level >= least", "level = Math.max(least, 1); level >= least"),
];

export const ROLES: readonly Rule[] = [
  episodes("A first attempt has a known verdict", 'verdict === "unknown" ? "unknown" : "first"', '"first"'),
  episodes(
    "Attempts of the other kinds are first attempts all the same",
    'kind === "repair").flatMap',
    "kind).flatMap",
  ),
  episodes("An attempt of a repair episode is no first attempt", 'repairing.has(key) ? "repair" : ', ""),
  episodes("Arrival order does not matter", "run.calls.toSorted(byPlace)", "run.calls"),
];
