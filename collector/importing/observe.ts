/** Lines of a run → observations with identity and time. */
import type { NeutralRecord, Observation } from "../records.ts";
import type { TranscriptLine, TranscriptRun } from "../transcripts/types.ts";
import { lineSpanId, type RunIdentity } from "./identity.ts";

const SECOND = 1_000_000_000n;
/** A result comes after its proposal, so that what it says of the call counts. */
const RESULT_DELAY = 1_000_000n;

/**
 * @param startedAt milliseconds since 1970 at which a run without times stands: that of its first import; its turns
 *   stand one second apart (IMPORTS.md, rule 8)
 */
export function observe(
  run: TranscriptRun,
  source: string,
  { runId, traceId, runKey }: RunIdentity,
  startedAt: number,
): Observation[] {
  const start = BigInt(startedAt) * 1_000_000n;
  return run.lines.map((line) => {
    const at = start + BigInt(line.turn) * SECOND + (line.part === "result" ? RESULT_DELAY : 0n);
    return {
      trace_id: traceId,
      span_id: lineSpanId(line.id),
      parent_span_id: null,
      start_ns: at,
      end_ns: at,
      source,
      record: recordOf(line, runId, runKey),
    };
  });
}

function recordOf({ record }: TranscriptLine, runId: string, runKey: string): NeutralRecord {
  if (record.type !== "run") return { ...record, run_id: runId };
  return { ...record, run_id: runId, run_key: runKey, time_source: "import" };
}
