import type { EpisodeKind, LinkCall } from "./types.ts";

/** `F` of METRICS.md section 2: the failure classes on which an episode of a kind opens. */
const OPENS: Readonly<Record<EpisodeKind, readonly string[]>> = {
  repair: ["malformed", "schema", "unknown_tool", "tool_input"],
  recovery: ["execution", "timeout", "cancelled", "output_invalid", "unclassified"],
  denial: ["denied"],
};

export function opens(kind: EpisodeKind, call: LinkCall): boolean {
  return call.failureClass !== null && OPENS[kind].includes(call.failureClass);
}

/** Whether a call, as an attempt, ends an episode of this kind. A call of unknown verdict resolves nothing. */
export function resolves(kind: EpisodeKind, call: LinkCall): boolean {
  if (call.verdict !== "accepted") return false;
  if (kind === "repair") return true;
  if (!call.hasResult) return false;
  if (kind === "recovery") return call.failureClass === null;
  return call.failureClass !== "denied" && call.failureClass !== "cancelled";
}
