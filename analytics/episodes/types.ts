/** The run as linking sees it, and what linking says about it. Types only: the files beside are pure functions. */

export type EpisodeKind = "repair" | "recovery" | "denial";
export const EPISODE_KINDS: readonly EpisodeKind[] = ["repair", "recovery", "denial"];

export type Verdict = "accepted" | "rejected" | "unknown";

/** Settings of a project. Every answer states them. */
export interface LinkSettings {
  /** `W`: an attempt stands at most so many turns after the one before. */
  readonly linkWindow: number;
  /** `E` ≤ `W`: a repair counts as eventual within so many turns of the opening call. */
  readonly eventualWindow: number;
  readonly settleAfterSeconds: number;
  /** Whether windows count model turns, or only turns that called a tool. */
  readonly turnBasis: "model" | "tool_calling";
}

export interface LinkTurn {
  /** Model turn, numbered from 0 within the run, text-only turns included. */
  readonly turn: number;
  readonly model: string | null;
  readonly inputTokens: number | null;
  readonly cachedInputTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly outputTokens: number | null;
  /** Of the model response. */
  readonly durationMs: number | null;
}

/** A call that the model proposed (origin `model`), in its place. */
export interface LinkCall {
  /** Identity in the database; opaque here. */
  readonly key: string;
  readonly turn: number;
  readonly ordinal: number;
  /** What linking takes as the tool: name and source, for an unknown tool the digest of the requested name. */
  readonly linkTool: string;
  readonly verdict: Verdict;
  /** null on success, and where there is no result. */
  readonly failureClass: string | null;
  readonly hasResult: boolean;
  readonly keyId: string | null;
  readonly signature: string | null;
  /** `name=digest`; null where the arguments are no object or were not digested. */
  readonly argumentDigests: readonly string[] | null;
  readonly callId: string | null;
  readonly repairOf: string | null;
  readonly operationId: string | null;
  /** `<class word>:<path>:<category>`. */
  readonly fingerprint: string | null;
  readonly retryability: string | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Of the call's own span. */
  readonly durationMs: number | null;
}

export interface LinkRun {
  /** Sorted by turn, without gaps, starting at 0. */
  readonly turns: readonly LinkTurn[];
  /** Sorted by turn, then ordinal. */
  readonly calls: readonly LinkCall[];
  readonly ended: boolean;
  readonly outcome: string | null;
  /** An approval, a question, a task or a continuation is open: the run waits, and is not silent. */
  readonly waiting: boolean;
  /** Latest arrival of an observation of the run, milliseconds since 1970. */
  readonly lastReceivedAt: number;
}

/** Why a call was taken as an attempt of an episode; the share linked by `order` alone is data health. */
export type LinkEvidence = "explicit" | "operation" | "digest" | "order";

export interface Attempt {
  readonly call: LinkCall;
  readonly evidence: LinkEvidence;
}

export type NextAction =
  | "repaired_next_turn"
  | "repaired_later"
  | "repeated_unchanged"
  | "changed_still_invalid"
  | "not_known"
  | "changed_direction"
  | "gave_up";

/** Usage handed out to an episode; null where no turn that was handed out stated it. */
export interface AttributedUsage {
  readonly modelTurns: number;
  readonly inputTokens: number | null;
  readonly cachedInputTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly outputTokens: number | null;
  readonly durationMs: number | null;
  /** How many shares of turns were handed out, and how many of them came from a turn that stated its usage. */
  readonly shares: number;
  readonly sharesWithInputTokens: number;
  readonly sharesWithOutputTokens: number;
}

export interface Episode {
  readonly kind: EpisodeKind;
  readonly opening: LinkCall;
  readonly attempts: readonly Attempt[];
  /** An attempt resolved it. */
  readonly repaired: boolean;
  /** Repaired, or the window was closed by a later turn. */
  readonly decided: boolean;
  /** When it counts as settled, milliseconds since 1970: `-Infinity` at once (the run has ended). */
  readonly settlesAt: number;
  readonly repairTurns: number | null;
  readonly firstRepair: boolean;
  readonly eventualRepair: boolean;
  readonly lateRepair: boolean;
  /** null where signatures cannot be compared. */
  readonly unchangedRepeat: boolean | null;
  readonly unchangedRepeatLater: boolean | null;
  readonly unchangedSteps: number;
  /** Rejected calls of the episode that have a next attempt. */
  readonly steps: number;
  readonly targetedChange: boolean | null;
  readonly nextAction: NextAction;
  /** With `changed_direction`: the linkTool of the next call of the run. */
  readonly nextTool: string | null;
  readonly funnelRow: string;
  readonly terminalOutcome: string;
  readonly extraModelTurns: number;
  readonly attributed: AttributedUsage;
}
