/** What is said of a call: short notes on its chip, and whole sentences for who does not see the arrows. Pure. */
import { formatCount, formatCountOf } from "../../../analytics/client/format.ts";
import { actionWords } from "../kit/words.ts";
import {
  type Call,
  type Episode,
  type Evidence,
  type Kind,
  type PlacedCall,
  placeOf,
  type RepairLink,
} from "./timeline.ts";

interface KindWords {
  /** What the kind's episodes are called. */
  readonly episode: string;
  readonly attempt: string;
  /** What a resolving attempt did. */
  readonly done: string;
}

export const KIND_WORDS: Readonly<Record<Kind, KindWords>> = {
  repair: { episode: "repair", attempt: "repair attempt", done: "repaired" },
  recovery: { episode: "recovery", attempt: "recovery attempt", done: "recovered" },
  denial: { episode: "denial", attempt: "attempt after a denial", done: "allowed" },
};

export const EVIDENCE_WORDS: Readonly<Record<Evidence, string>> = {
  explicit: "linked by its stated id",
  operation: "linked by operation id",
  digest: "linked by equal arguments",
  order: "linked by order alone",
};

export interface Note {
  /** Unique among the notes of one call. */
  readonly id: string;
  readonly text: string;
  readonly tone: "good" | "bad" | "quiet" | "accent";
}

/** What became of the call and what it answers; the second list is what the data do not vouch for. */
export function notesOf(placed: PlacedCall): { readonly story: readonly Note[]; readonly health: readonly Note[] } {
  const { call, opens, answers, mark, repeatOf } = placed;
  const story: Note[] = [
    ...answers.map(
      (link): Note => ({ id: `answers ${link.kind} ${link.from}`, text: answerNote(link), tone: "accent" }),
    ),
    ...opens.map((episode): Note => {
      const tone = episode.repaired ? "good" : isPending(episode) ? "quiet" : "bad";
      return { id: `opens ${episode.kind}`, text: openingNote(episode), tone };
    }),
    ...(repeatOf === null
      ? []
      : [
          {
            id: "repeat",
            text: `same call again (${mark}), as ${repeatOf}`,
            tone: call.failure_class === null ? ("quiet" as const) : ("bad" as const),
          },
        ]),
  ];
  return { story, health: healthOf(call).map((text) => ({ id: text, text, tone: "quiet" })) };
}

function answerNote({ kind, attempt, from, evidence, unchanged }: RepairLink): string {
  const change = unchanged === null ? "" : unchanged ? ", unchanged" : ", changed";
  return `${KIND_WORDS[kind].attempt} ${formatCount(attempt)} of ${from}${change} · ${EVIDENCE_WORDS[evidence]}`;
}

function openingNote(episode: Episode): string {
  const { kind, repaired, repair_turns, attempts, next_action, next_tool } = episode;
  const { done, episode: name } = KIND_WORDS[kind];
  const last = attempts.at(-1);
  if (repaired && last !== undefined) {
    const later = repair_turns === null ? "" : `, ${formatCountOf(repair_turns, "turn")} later`;
    return `${done} by ${placeOf(last)}${later}${episode.settled ? "" : " (pending)"}`;
  }
  if (isPending(episode)) return `${name} pending`;
  return `not ${done}: ${actionWords(next_action)}${next_tool === null ? "" : ` (${next_tool})`}`;
}

function isPending({ settled, decided }: Episode): boolean {
  return !settled && !decided;
}

function healthOf(call: Call): string[] {
  return [
    ...(call.has_result ? [] : ["no result seen"]),
    ...(ranAgainstSchema(call) ? ["ran against its schema"] : []),
    ...(call.corrected === true ? ["corrected before it ran"] : []),
    ...(call.verdict === "accepted" && call.validated === false ? ["arguments not checked"] : []),
    ...(call.nearest === null ? [] : [`closest declared name: ${call.nearest}`]),
    ...(call.execution_attempts > 1 ? [`executed ${formatCountOf(call.execution_attempts, "time")}`] : []),
    ...(call.origin === "model" ? [] : [`not of the model: ${call.origin}, in no rate`]),
  ];
}

/** It ran, although the declared schema refuses its arguments. */
export function ranAgainstSchema({ verdict, schema_verdict }: Call): boolean {
  return verdict === "accepted" && schema_verdict === "rejected";
}

/** `_unknown` is how a name that was not offered is stored: the name itself is text of the model. */
export function toolWords(tool: string): string {
  return tool === "_unknown" ? "a tool that was not offered" : tool;
}

/** The verdict is on the arguments only: an accepted call may have failed for another reason. */
export function resultWords({ verdict, failure_class }: Call): string {
  if (verdict === "unknown") return failure_class === null ? "verdict unknown" : `${failure_class}, verdict unknown`;
  return verdict === "accepted" && failure_class !== null ? "arguments accepted" : verdict;
}

/** The arrows and marks in sentences: `Repair attempt 1 of the call in turn 3, unchanged.` */
export function storyOf(
  { place, call, opens, answers, mark, repeatOf }: PlacedCall,
  marked: readonly PlacedCall[],
): string {
  const same = marked.filter((other) => other.mark === mark && other.place !== place).map((other) => other.place);
  return [
    ...answers.map((link) => `${attemptSentence(link)}.`),
    ...opens.map((episode) => `${capital(openingSentence(episode))}.`),
    ...(repeatOf === null ? [] : [`The same call again as ${repeatOf}.`]),
    ...(mark === null ? [] : [`Mark ${mark}: equal to ${same.join(", ")}.`]),
    ...healthOf(call).map((text) => `${capital(text)}.`),
  ].join(" ");
}

function attemptSentence({ kind, attempt, from, resolves, unchanged, evidence }: RepairLink): string {
  const change = unchanged === null ? "" : unchanged ? ", unchanged" : ", changed";
  const outcome = resolves ? `, ${KIND_WORDS[kind].done}` : "";
  return `${capital(KIND_WORDS[kind].attempt)} ${formatCount(attempt)} of ${callIn(from)}${change}, ${EVIDENCE_WORDS[evidence]}${outcome}`;
}

function openingSentence(episode: Episode): string {
  const last = episode.attempts.at(-1);
  if (episode.repaired && last !== undefined) return `${KIND_WORDS[episode.kind].done} by ${callIn(placeOf(last))}`;
  return openingNote(episode);
}

function callIn(place: string): string {
  const [turn, ordinal] = place.split(".");
  return ordinal === "0" ? `the call in turn ${turn}` : `call ${place} in turn ${turn}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
