/** What the proposals of a finished run, and their results, say about its calls. */
import { UNKNOWN_TOOL } from "@mulligan/instrumentation/internal/semconv";
import { type ErrorFacts, topLevel } from "./error-texts.ts";
import type { SignedArguments } from "./signer.ts";
import { argumentDigestList, isIdentifier, storableId } from "./storable.ts";
import type { LineRecord, ReadContext, TranscriptLine } from "./types.ts";

export interface Proposal {
  readonly lineId: string;
  readonly turn: number;
  readonly ordinal: number;
  readonly id: string | null;
  readonly name: string;
  readonly signed: SignedArguments | null;
  readonly parsedSource: boolean;
  answer: Answer | null;
}

interface Answer {
  readonly lineId: string;
  /** Of the text that the model read. */
  readonly bytes: number;
  readonly error: ErrorFacts | null;
}

/** Top-level parameters by tool, as the file declares them; null where it declares none. */
export type DeclaredTools = ReadonlyMap<string, ReadonlySet<string>> | null;

/**
 * A line for each proposal and one for each result: apart, so that a longer copy of the run adds the result that a
 * shorter one did not have.
 */
export function callLines(
  proposals: readonly Proposal[],
  tools: DeclaredTools,
  context: ReadContext,
): TranscriptLine[] {
  const shown = shownParameters(proposals, tools, context);
  return proposals.flatMap((proposal): TranscriptLine[] => {
    const { lineId, turn, answer } = proposal;
    const place = placeInRun(proposal, tools, context);
    const proposed = proposalRecord(place, proposal, shown(proposal.name), context);
    const line: TranscriptLine = { id: lineId, turn, part: "proposal", record: proposed };
    if (answer === null) return [line];
    return [line, { id: answer.lineId, turn, part: "result", record: resultRecord(place, answer) }];
  });
}

type CallPlace = ReturnType<typeof placeInRun>;

/**
 * Where the call stands and what tool it is to. A name that was offered nowhere, or that no tool answered to, is text of
 * the model: only its digest is kept.
 */
function placeInRun({ turn, ordinal, id, name, answer }: Proposal, tools: DeclaredTools, { signer }: ReadContext) {
  const offered = tools === null || tools.has(name) || answer !== null;
  const known = offered && isIdentifier(name) && answer?.error?.failureClass !== "unknown_tool";
  return {
    type: "call" as const,
    turn,
    turn_source: "exact" as const,
    ordinal,
    ...(id === null ? {} : { call_id: storableId(id, signer) }),
    ...(known ? { tool: name } : { tool: UNKNOWN_TOOL, requested: signer.digest("tool", name) }),
  };
}

function proposalRecord(
  place: CallPlace,
  { signed, parsedSource }: Proposal,
  shown: ReadonlySet<string>,
  { signer }: ReadContext,
): LineRecord {
  return {
    ...place,
    has_result: false,
    key_id: signer.keyId,
    ...(signed === null ? {} : { signature: signed.signature }),
    ...(signed?.digests ? { argument_digests: argumentDigestList(signed.digests, shown) } : {}),
    ...(parsedSource ? { parsed_source: true } : {}),
  };
}

function resultRecord(place: CallPlace, { bytes, error }: Answer): LineRecord {
  const result = { ...place, has_result: true, result_bytes: bytes };
  if (error === null) return { ...result, verdict: "accepted" };
  return {
    ...result,
    verdict: error.verdict,
    failure_class: error.failureClass,
    fingerprint: error.fingerprint,
    fingerprints: [error.fingerprint],
    text_id: error.textId,
    ...(error.retryability === undefined ? {} : { retryability: error.retryability }),
  };
}

/** Argument names that the owner has written down, by tool: in a schema, in a rule, or in an error that a rule reads. */
function shownParameters(proposals: readonly Proposal[], tools: DeclaredTools, { errorTexts }: ReadContext) {
  const read = new Map<string, Set<string>>();
  for (const { name, answer } of proposals) {
    const parameter = answer?.error?.parameter;
    if (parameter !== undefined) read.set(name, (read.get(name) ?? new Set()).add(topLevel(parameter)));
  }
  return (name: string): ReadonlySet<string> =>
    tools?.get(name) ?? new Set([...errorTexts.namedParameters(name), ...(read.get(name) ?? [])]);
}
