/** Verdict on the arguments (METRICS.md, *Verdict*): what the failure class says, else what was stated, else what is known. */
import type { CallRecord } from "../records.ts";

const REJECTED: ReadonlySet<string> = new Set(["malformed", "schema", "unknown_tool", "tool_input"]);
/** Nothing says whether the tool was run. */
const NOT_KNOWN: ReadonlySet<string> = new Set(["denied", "cancelled", "unclassified"]);

/** The failed call's own class decides: a stated verdict that contradicts it would break "rejected = episodes opened". */
export function verdictOf(
  stated: NonNullable<CallRecord["verdict"]> | null,
  failureClass: string | null,
  hasResult: boolean,
): "accepted" | "rejected" | "unknown" {
  if (failureClass !== null && REJECTED.has(failureClass)) return "rejected";
  if (stated === "rejected") return "unknown";
  if (stated !== null) return stated;
  if (!hasResult || (failureClass !== null && NOT_KNOWN.has(failureClass))) return "unknown";
  return "accepted";
}
