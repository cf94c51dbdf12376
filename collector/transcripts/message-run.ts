/** Builds one run out of chat messages, one message at a time: what stays in memory are digests, not texts. */
import { callLines, type DeclaredTools, type Proposal } from "./call-lines.ts";
import { type ChatCall, readCalls, readModel, readText, readUsage } from "./chat-message.ts";
import type { LineRecord, Place, ReadContext, TranscriptLine } from "./types.ts";

interface Turn {
  readonly lineId: string;
  readonly record: LineRecord;
}

export interface MessageRunOptions {
  /** The model that the file states for the whole run. */
  readonly model: string | null;
  /** Tools that the run was offered and their top-level parameters; null where the file does not say. */
  readonly tools: DeclaredTools;
}

/** What a finished builder knows of the run, apart from its key. */
export interface BuiltRun {
  readonly model: string | null;
  readonly lines: readonly TranscriptLine[];
  readonly orphanResults: readonly Place[];
  readonly leftOut: Readonly<Record<string, number>>;
  /** Keyed digest of everything up to the first response: tells runs apart that have no key. */
  readonly head: string;
}

/**
 * Turns are the assistant's messages, text-only ones included. A result belongs to the latest call with its id that has
 * no result yet; without an id, to the first unanswered call of the latest turn that has one (IMPORTS.md, rules 1, 2).
 */
export function createMessageRun(context: ReadContext, options: MessageRunOptions) {
  const { signer, errorTexts } = context;
  const turns: Turn[] = [];
  const proposals: Proposal[] = [];
  /** Proposals without a result so far, in order. */
  const waiting: Proposal[] = [];
  const orphanResults: Place[] = [];
  const broken: Place[] = [];
  const leftOut: Record<string, number> = {};
  let model = options.model;
  let messages = 0;
  let headTexts: string[] | null = [];
  let head = "";

  const endHead = () => {
    if (headTexts === null) return;
    head = signer.digest("head", headTexts.join("\n")).slice(0, 8);
    headTexts = null;
  };

  const assistant = (message: Record<string, unknown>, lineId: string, line: number) => {
    const turn = turns.length;
    const turnModel = readModel(message.model);
    model ??= turnModel;
    const { calls, problems } = readCalls(message);
    for (const problem of problems) broken.push({ line, message: `${placeOf(lineId)}: ${problem}` });
    if (problems.length > 0) leftOut.unreadable_calls = (leftOut.unreadable_calls ?? 0) + problems.length;
    const spoke = calls.length > 0 || (readText(message.content)?.length ?? 0) > 0;
    const stated = turnModel ?? options.model;
    const record: LineRecord = {
      type: "turn",
      turn,
      turn_source: "exact",
      ...(stated === null ? {} : { model: stated }),
      ...readUsage(message.usage, spoke),
    };
    turns.push({ lineId, record });
    const proposed = calls.map((call, ordinal) => propose(call, turn, ordinal, lineId));
    proposals.push(...proposed);
    waiting.push(...proposed);
  };

  const propose = (call: ChatCall, turn: number, ordinal: number, lineId: string): Proposal => ({
    lineId: `${lineId}/call/${ordinal}`,
    turn,
    ordinal,
    id: call.id,
    name: call.name,
    signed: call.arguments === null ? null : signer.sign(call.name, call.arguments),
    parsedSource: call.parsedSource,
    answer: null,
  });

  const result = (message: Record<string, unknown>, lineId: string, line: number) => {
    const id = message.tool_call_id;
    const name = typeof message.name === "string" ? message.name : null;
    const proposal = typeof id === "string" ? byId(waiting, id) : inOrder(waiting, name);
    if (proposal === undefined) {
      const why =
        typeof id === "string" ? "no unanswered call before it has its id" : "no call before it is unanswered";
      orphanResults.push({ line, message: `${placeOf(lineId)}: a result without a call: ${why}.` });
      return;
    }
    waiting.splice(waiting.indexOf(proposal), 1);
    const text = readText(message.content) ?? "";
    const declared = options.tools?.get(proposal.name) ?? null;
    const argumentNames = proposal.signed?.digests?.map((argument) => argument.name) ?? [];
    const call = { tool: proposal.name, argumentsKind: proposal.signed?.kind ?? null, declared, argumentNames };
    proposal.answer = { lineId, bytes: Buffer.byteLength(text), error: errorTexts.read(text, call) };
  };

  return {
    /** Takes the run's next message, in the order of the file. */
    add(message: unknown, line: number): void {
      const lineId = `message/${messages}`;
      messages += 1;
      if (typeof message !== "object" || message === null || Array.isArray(message)) {
        broken.push({ line, message: `${placeOf(lineId)}: ${nameOf(message)}, expected an object with "role".` });
        return;
      }
      const fields = message as Record<string, unknown>;
      headTexts?.push(JSON.stringify(fields));
      switch (fields.role) {
        case "assistant":
          endHead();
          assistant(fields, lineId, line);
          return;
        case "tool":
        case "function":
          result(fields, lineId, line);
          return;
        case "system":
        case "developer":
        case "user":
          return;
        default:
          leftOut.messages_of_unknown_role = (leftOut.messages_of_unknown_role ?? 0) + 1;
          broken.push({ line, message: `${placeOf(lineId)}: ${roleProblem(fields.role)}` });
      }
    },
    /** Places that could not be read, so far. */
    broken: broken as readonly Place[],
    finish(): BuiltRun {
      endHead();
      const lines: TranscriptLine[] = [
        { id: "run", turn: 0, part: "run", record: { type: "run", read_from_file: true } },
        ...turns.map(({ lineId, record }, turn): TranscriptLine => ({ id: lineId, turn, part: "turn", record })),
        ...callLines(proposals, options.tools, context),
      ];
      return { model, lines, orphanResults, leftOut, head };
    },
  };
}

/** The latest call with this id that has no result yet. */
function byId(waiting: readonly Proposal[], id: string): Proposal | undefined {
  return waiting.findLast((proposal) => proposal.id === id);
}

/** The first unanswered call of the latest turn that has one, of this name where the result states it. */
function inOrder(waiting: readonly Proposal[], name: string | null): Proposal | undefined {
  const named = name === null ? waiting : waiting.filter((proposal) => proposal.name === name);
  const turn = named.at(-1)?.turn;
  return named.find((proposal) => proposal.turn === turn);
}

function placeOf(lineId: string): string {
  return lineId.replace("/", " ");
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

function roleProblem(role: unknown): string {
  const expected = "expected system, developer, user, assistant, tool or function";
  const came = role === undefined ? "missing" : typeof role === "string" ? "another word" : nameOf(role);
  return `"role" is ${came}, ${expected}.`;
}
