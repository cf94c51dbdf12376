/** Rules of METRICS.md sections 1, 2 and 4: when an episode is settled, what it shows, what it costs, where a run stands. */
import { inFile, type Rule } from "./rule.ts";

const link = inFile("link.ts");
const compare = inFile("compare.ts");
const summarise = inFile("summarise.ts");
const settle = inFile("settle.ts");
const attribute = inFile("attribute.ts");
const count = inFile("count.ts");

export const SETTLING: readonly Rule[] = [
  settle("An ended run's episodes are settled", "if (run.ended) return Number.NEGATIVE_INFINITY;", ""),
  settle(
    "Silence settles",
    "run.waiting ? Number.POSITIVE_INFINITY : run.lastReceivedAt + after",
    "Number.POSITIVE_INFINITY",
  ),
  settle("A waiting run is not silent", "run.waiting ? Number.POSITIVE_INFINITY : ", ""),
  settle("A decided episode settles by its age", "episode.decided ? episode.opening.startedAt + after : ", ""),
  settle(
    "An undecided one does not",
    "episode.decided ? episode.opening.startedAt + after : Number.POSITIVE_INFINITY",
    "episode.opening.startedAt + after",
  ),
  settle("Exactly `settle_after` is enough", "episode.settlesAt <= now", "episode.settlesAt < now"),
  link(
    "Decided when repaired",
    "episode.repaired || windowClosed(episode, turns.last)",
    "windowClosed(episode, turns.last)",
  ),
  link(
    "Decided when step 1 has closed it",
    "episode.repaired || windowClosed(episode, turns.last)",
    "episode.repaired",
  ),
  settle("An open continuation is waited for", "return open.size > 0;", "return false;"),
  settle("A result with its id closes it", "if (CLOSES.includes(state)) open.delete(continuationId);", ""),
  settle("Another id does not", "open.delete(continuationId)", "open.clear()"),
  settle(
    "Only a later result closes",
    "return open.size > 0;",
    'return open.size > 0 && !results.some(({ state }) => CLOSES.includes(state ?? ""));',
  ),
];

export const SUMMARY: readonly Rule[] = [
  summarise("First repair: in the next turn", "firstRepair: repairTurns === 1", "firstRepair: repairTurns !== null"),
  summarise(
    "Eventual repair: within `E`",
    "eventualRepair: repairTurns !== null && repairTurns <= run.eventualWindow",
    "eventualRepair: repairTurns !== null",
  ),
  summarise(
    "Late repair: after `E`",
    "lateRepair: repairTurns !== null && repairTurns > run.eventualWindow",
    "lateRepair: false",
  ),
  summarise(
    "Unchanged repeat: only in the next turn",
    "unchangedRepeat: nextTurn ? repeats : false",
    "unchangedRepeat: repeats",
  ),
  summarise(
    "Unchanged repeat later: only at a greater distance",
    "unchangedRepeatLater: nextTurn ? false : repeats",
    "unchangedRepeatLater: repeats",
  ),
  summarise(
    "Only the first attempt decides",
    "const first = attempts[0]?.call;",
    "const first = attempts.at(-1)?.call;",
  ),
  compare("Digests compare under equal key ids only", "a.keyId !== null && a.keyId === b.keyId;", "true;"),
  compare("No key id equals no key id", "a.keyId !== null && a.keyId === b.keyId;", "a.keyId === b.keyId;"),
  compare(
    "Other operation ids are another call",
    "if (one !== null && other !== null && one !== other) return false;",
    "",
  ),
  compare("Only where both calls carry one", "one !== null && other !== null && one !== other", "one !== other"),
  compare("The same call has the same signature", "return earlier.signature === later.signature;", "return true;"),
  summarise("Unchanged steps: one turn apart", "distance(call, next) === 1 && ", ""),
  summarise("Unchanged steps: neighbours", "unchanged(call, next) === true", "unchanged(opening, next) === true"),
  summarise("Steps start at failed calls", "if (!failed) continue;", ""),
  summarise(
    "Steps of siblings start at what did not resolve",
    'kind === "repair" ? call.verdict === "rejected" : !resolves(kind, call)',
    'call.verdict === "rejected"',
  ),
  compare("Targeted change: the top-level argument of the path", "path.split(/\\.|\\[\\]/, 1)[0] ?? null", "path"),
  compare("Targeted change: the root names no parameter", ' || path === "$"', ""),
  compare("Targeted change: null without digests", "if (before === null || after === null) return null;", ""),
  compare("Targeted change: null beyond the digests that are sent", "return mayBeCutOff ? null : ", "return "),
  compare(
    "Targeted change: null under other keys",
    "if (name === null || !comparable(opening, attempt)) return null;",
    "if (name === null) return null;",
  ),
  compare(
    "Targeted change: the named argument's digests",
    "return before !== after;",
    "return String(opening.argumentDigests) !== String(attempt.argumentDigests);",
  ),
  summarise(
    "Next action: a resolving attempt, by its distance",
    'return nextTurn ? "repaired_next_turn" : "repaired_later";',
    'return "repaired_next_turn";',
  ),
  summarise("Next action: an unknown verdict is not known", "if (!known || repeats === null)", "if (repeats === null)"),
  summarise("Next action: what cannot be compared is not known", "if (!known || repeats === null)", "if (!known)"),
  summarise(
    "Next action: a denied attempt of a sibling is known",
    'kind === "repair" ? first.verdict !== "unknown" : first.hasResult',
    'first.verdict !== "unknown"',
  ),
  summarise(
    "Next action: unchanged or changed",
    'return repeats ? "repeated_unchanged" : "changed_still_invalid";',
    'return "changed_still_invalid";',
  ),
  summarise(
    "Next action: gave up where no later turn has a call",
    'next === undefined ? "gave_up" : "changed_direction"',
    '"changed_direction"',
  ),
  summarise("Next action: a call of the same turn is no later one", "firsts[index + 1]]", "firsts[index]]"),
  summarise(
    "Next tool: of the next turn's first call",
    "call.turn !== calls[index - 1]?.turn",
    "call.turn !== calls[index + 1]?.turn",
  ),
  summarise(
    "Funnel row: late repairs have their own",
    "return repairTurns <= eventualWindow ?",
    "return repairTurns ?",
  ),
  summarise("An unknown outcome is not completed", 'run.outcome ?? "unknown"', 'run.outcome ?? "completed"'),
];

export const COSTS: readonly Rule[] = [
  summarise(
    "Extra turns: to the last attempt, in model turns",
    "lastTurn(episode) - opening.turn",
    "(repairTurns ?? 0)",
  ),
  attribute(
    "A turn with attempts: `a/n` of it",
    "attempts === undefined ? takers.length : (callsIn.get(turn.turn)?.length ?? 0)",
    "takers.length",
  ),
  attribute(
    "A turn with an attempt is nobody's wandering",
    "attempts ?? wanderedIn.get(turn.turn) ?? []",
    "wanderedIn.get(turn.turn) ?? attempts ?? []",
  ),
  attribute(
    "A wandering turn is shared by `k`",
    "attempts === undefined ? takers.length : ",
    "attempts === undefined ? 1 : ",
  ),
  attribute("A wandering turn is handed out", "attempts ?? wanderedIn.get(turn.turn) ?? []", "attempts ?? []"),
  attribute(
    "Strictly after the opening call",
    "let turn = episode.opening.turn + 1;",
    "let turn = episode.opening.turn;",
  ),
  attribute("Strictly before the last attempt", "turn < lastTurn(episode);", "turn <= lastTurn(episode) + 1;"),
  attribute("Missing usage is null, not 0", "usage === undefined || value === null", "usage === undefined"),
  attribute(
    "A rejected attempt's own span is added",
    'if (call.verdict === "rejected") add(usages[index], "durationMs", call.durationMs, 1);',
    "",
  ),
  attribute("Only a rejected one's", 'if (call.verdict === "rejected") add', "add"),
  attribute(
    "The share of turns with input tokens",
    "if (turn.inputTokens !== null) usage.sharesWithInputTokens++;",
    "usage.sharesWithInputTokens++;",
  ),
  attribute(
    "The share of turns with output tokens",
    "if (turn.outputTokens !== null) usage.sharesWithOutputTokens++;",
    "usage.sharesWithOutputTokens++;",
  ),
];

export const STANDING: readonly Rule[] = [
  count("A run stands at its earliest call", "run.calls.toSorted(byStart)", "run.calls.toSorted(byPlace)"),
  count("Once", "if (counts.size === 0) Object.assign", "Object.assign"),
  count("Once for each of its tools", "if (!tools.has(tool)) Object.assign", "Object.assign"),
  count("Only an ended run's outcome is known", "+(ended && outcome !== null)", "+(outcome !== null)"),
  count("An ended run may have no known outcome", "+(ended && outcome !== null)", "+ended"),
  count("Only an ended run is completed", 'ended && outcome === "completed"', 'outcome === "completed"'),
];
