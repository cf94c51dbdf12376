/**
 * OpenAI Chat Completions messages in files: trajectories of τ-bench, `{ "messages": [...] }`, plain lists of messages,
 * an array of any of these, or JSON Lines of them.
 */
import { parse } from "node:path";
import type { RunOutcome } from "@mulligan/instrumentation/internal/semconv";
import type { DeclaredTools } from "./call-lines.ts";
import { isObject, readModel } from "./chat-message.ts";
import { createSplitter, type JsonPiece, type Piece } from "./json-pieces.ts";
import { createMessageRun } from "./message-run.ts";
import { readRunKey } from "./run-key.ts";
import { storableFileName } from "./storable.ts";
import type { BrokenPlace, Place, ReadContext, TranscriptFormat, TranscriptLine, TranscriptRun } from "./types.ts";

type Output = TranscriptRun | BrokenPlace;

const EXPECTED =
  'expected {"messages": [...]}, a τ-bench trajectory {"task_id", "traj": [...]}, or messages with "role"';

export const openaiChat: TranscriptFormat = {
  name: "openai-chat",
  title: "OpenAI Chat Completions messages",
  // Task and trial are the same numbers whatever model ran: only the file tells such runs apart.
  defaultSource: (file) => parse(file).name,
  async *read(bytes, context) {
    const splitter = createSplitter({ lines: /\.(?:jsonl|ndjson)$/i.test(context.file) });
    const reader = createReader(context);
    for await (const chunk of bytes) {
      for (const piece of splitter.push(chunk)) yield* reader.take(piece);
    }
    for (const piece of splitter.end()) yield* reader.take(piece);
    yield* reader.end();
  },
};

/** Pieces of a file → its runs. Bare messages gather in one run until their array, or the file, ends. */
function createReader(context: ReadContext) {
  /** Bare messages so far, and the array that they stand in; `null` where each is a document of its own. */
  let loose: { builder: ReturnType<typeof createMessageRun>; document: number | null } | null = null;
  let runs = 0;

  function* take(piece: Piece): Generator<Output> {
    if (piece.kind === "broken") return yield piece;
    const value = parsePiece(piece);
    if (value.problem !== undefined) return yield { kind: "broken", line: piece.line, message: value.problem };
    if (isMessage(value.json)) return yield* message(value.json, piece);
    yield* endLoose();
    yield* document(value.json, piece);
  }

  function* message(json: Record<string, unknown>, piece: JsonPiece): Generator<Output> {
    const array = piece.element === null ? null : piece.document;
    if (loose !== null && loose.document !== array) yield* endLoose();
    loose ??= { builder: createMessageRun(context, { model: null, tools: null }), document: array };
    loose.builder.add(json, piece.line);
  }

  function* document(json: unknown, piece: JsonPiece): Generator<Output> {
    if (Array.isArray(json) && json.length > 0 && !json.some(isMessage)) {
      for (const item of json) yield* document(item, piece);
      return;
    }
    const trajectory = readTrajectory(json);
    if (trajectory === null) {
      yield { kind: "broken", line: piece.line, message: `${describe(json)}, ${EXPECTED}.` };
      return;
    }
    const builder = createMessageRun(context, trajectory);
    for (const item of trajectory.messages) builder.add(item, piece.line);
    const key = isObject(json) ? readRunKey(json, piece.text, context.signer) : null;
    yield* finish(builder, key, trajectory.outcome);
    if (trajectory.problem !== null) yield { kind: "broken", line: piece.line, message: trajectory.problem };
  }

  function* endLoose(): Generator<Output> {
    if (loose === null) return;
    const { builder } = loose;
    loose = null;
    yield* finish(builder, null, null);
  }

  function* finish(
    builder: ReturnType<typeof createMessageRun>,
    ownKey: string | null,
    outcome: RunOutcome | null,
  ): Generator<Output> {
    const { model, lines, orphanResults, leftOut, head } = builder.finish();
    const key = ownKey ?? `${storableFileName(context.file)}:${runs}:${head}`;
    runs += 1;
    const stated: TranscriptLine[] =
      outcome === null
        ? []
        : [{ id: "outcome", turn: 0, part: "run", record: { type: "run", outcome, outcome_only: true } }];
    const inRun = ({ line, message }: Place): Place => ({ line, message: `run ${key}, ${message}` });
    for (const place of builder.broken) yield { kind: "broken", ...inRun(place) };
    const orphans = orphanResults.map(inRun);
    yield { kind: "run", key, model, lines: [...lines, ...stated], orphanResults: orphans, leftOut };
  }

  return { take, end: endLoose };
}

interface Trajectory {
  readonly messages: readonly unknown[];
  readonly model: string | null;
  readonly tools: DeclaredTools;
  readonly outcome: RunOutcome | null;
  readonly problem: string | null;
}

function readTrajectory(json: unknown): Trajectory | null {
  if (Array.isArray(json))
    return json.length === 0 ? null : { messages: json, model: null, tools: null, outcome: null, problem: null };
  if (!isObject(json)) return null;
  const model = readModel(json.model);
  const tools = readTools(json.tools);
  if (Array.isArray(json.traj)) return { messages: json.traj, model, tools, ...readReward(json.reward) };
  if (!Array.isArray(json.messages)) return null;
  return { messages: json.messages, model, tools, outcome: null, problem: null };
}

/** τ-bench rewards 1 for a task that was done; absent, nothing is known. */
function readReward(reward: unknown): { outcome: RunOutcome | null; problem: string | null } {
  if (reward === undefined || reward === null) return { outcome: null, problem: null };
  if (typeof reward === "number") return { outcome: reward === 1 ? "completed" : "unsuccessful", problem: null };
  return { outcome: null, problem: '"reward" is no number, expected 1 or 0: the outcome of this run stays unknown.' };
}

/** Top-level parameters by tool of a `tools` list as it was sent to the model; null where the file has none. */
function readTools(tools: unknown): DeclaredTools {
  if (!Array.isArray(tools)) return null;
  const declared = new Map<string, ReadonlySet<string>>();
  for (const tool of tools) {
    const body = isObject(tool) && isObject(tool.function) ? tool.function : null;
    if (body === null || typeof body.name !== "string") continue;
    const parameters = isObject(body.parameters) ? body.parameters.properties : undefined;
    declared.set(body.name, new Set(isObject(parameters) ? Object.keys(parameters) : []));
  }
  return declared.size > 0 ? declared : null;
}

function isMessage(value: unknown): value is Record<string, unknown> {
  return isObject(value) && typeof value.role === "string" && !("messages" in value) && !("traj" in value);
}

function parsePiece(piece: JsonPiece): { json: unknown; problem?: undefined } | { problem: string } {
  try {
    return { json: JSON.parse(piece.text) as unknown };
  } catch (error) {
    // The engine's own message quotes the text: only the position is taken from it.
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    const where = position === undefined ? "it ends too early" : `at character ${position} of ${piece.text.length}`;
    return { problem: `no valid JSON: ${where}.` };
  }
}

function describe(json: unknown): string {
  if (Array.isArray(json)) return "an empty list";
  if (isObject(json)) return "an object without messages";
  return json === null ? "null" : `a ${typeof json}`;
}
