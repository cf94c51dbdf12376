/** Reads text as a transcript file, the way the importer does, without a database. */

import type { CallRecord, TurnRecord } from "../../../collector/records.ts";
import { type Rule, readRules } from "../../../collector/rules.ts";
import { createErrorTexts } from "../../../collector/transcripts/error-texts.ts";
import { openaiChat } from "../../../collector/transcripts/openai-chat.ts";
import { createSigner } from "../../../collector/transcripts/signer.ts";
import type { BrokenPlace, TranscriptRun } from "../../../collector/transcripts/types.ts";

const TEST_KEY = "mulligan-test-key";
export const signer = createSigner(TEST_KEY);

export interface ReadOptions {
  readonly file?: string;
  readonly rules?: readonly Rule[];
  /** Sizes of the pushes that the bytes are cut into, the last one repeated; absent: one push. */
  readonly chunks?: readonly number[];
}

/** Rules as a file would state them. */
export function rulesOf(...rules: readonly object[]): readonly Rule[] {
  return readRules("rules.json", Buffer.from(JSON.stringify(rules))).rules;
}

export async function readTranscript(content: string | Uint8Array | object, options: ReadOptions = {}) {
  const bytes = content instanceof Uint8Array ? content : Buffer.from(textOf(content));
  const context = {
    file: options.file ?? "chat.json",
    signer,
    errorTexts: createErrorTexts(options.rules ?? [], signer),
  };
  const runs: TranscriptRun[] = [];
  const broken: BrokenPlace[] = [];
  for await (const output of openaiChat.read(inChunks(bytes, options.chunks ?? [bytes.length]), context)) {
    if (output.kind === "run") runs.push(output);
    else broken.push(output);
  }
  return { runs, broken };
}

function textOf(content: string | object): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}

async function* inChunks(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, chunk = 0; at < bytes.length; chunk += 1) {
    const size = Math.max(1, sizes[Math.min(chunk, sizes.length - 1)]!);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** The proposals of a run, each with what its result says (`undefined` where it has none). */
export function callsOf(run: TranscriptRun): { proposal: CallRecord; result: CallRecord | undefined }[] {
  const records = (part: string) =>
    run.lines.filter((line) => line.part === part).map((line) => line.record as CallRecord);
  return records("proposal").map((proposal) => ({
    proposal,
    result: records("result").find((result) => result.turn === proposal.turn && result.ordinal === proposal.ordinal),
  }));
}

export function turnsOf(run: TranscriptRun): TurnRecord[] {
  return run.lines.filter((line) => line.part === "turn").map((line) => line.record as TurnRecord);
}

export function outcomeOf(run: TranscriptRun): string | null {
  const stated = run.lines.map((line) => (line.record.type === "run" ? line.record.outcome : undefined));
  return stated.find((outcome) => outcome !== undefined) ?? null;
}

// ---- Messages as a chat program writes them -------------------------------------------------------------------------

export const user = (content: string) => ({ role: "user", content });
export const says = (content: string) => ({ role: "assistant", content });
export const calls = (...proposed: readonly (readonly [id: string, name: string, args: string])[]) => ({
  role: "assistant",
  content: null,
  tool_calls: proposed.map(([id, name, args]) => ({ id, type: "function", function: { name, arguments: args } })),
});
export const answers = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content });
