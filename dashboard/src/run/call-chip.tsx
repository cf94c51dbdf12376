/** One tool call in its lane: what was called, what came back, what it answers and what answered it. */
import { formatCount, formatDuration } from "../../../analytics/client/format.ts";
import { Mark, type Shape, type Tone } from "../kit/mark.tsx";
import { type Note, notesOf, resultWords, toolWords } from "./call-words.ts";
import type { Call, PlacedCall } from "./timeline.ts";

export interface CallChipProps {
  readonly placed: PlacedCall;
  /** Id of what tells its links in sentences. */
  readonly story: string;
  readonly current: boolean;
  /** The one call that Tab reaches; the arrow keys reach the others. */
  readonly reachable: boolean;
  /** Id of the details, where they are open. */
  readonly details: string | null;
  readonly choose: () => void;
}

export function CallChip({ placed, story, current, reachable, details, choose }: CallChipProps) {
  const { place, call, mark } = placed;
  const { story: notes, health } = notesOf(placed);
  const [shape, tone] = markOf(call);
  const failed = call.failure_class !== null;
  const plain = !failed && call.verdict === "accepted";
  return (
    <button
      type="button"
      className={`call call-${call.verdict}${failed ? " is-failed" : ""}${call.origin === "model" ? "" : " is-aside"}`}
      data-call={place}
      data-verdict={call.verdict}
      {...(mark === null ? {} : { "data-signature-mark": mark })}
      aria-describedby={story}
      aria-expanded={details !== null}
      {...(details === null ? {} : { "aria-controls": details })}
      {...(current ? { "aria-current": "true" as const } : {})}
      tabIndex={reachable ? 0 : -1}
      onClick={choose}
    >
      <span className="call-head">
        <Mark shape={shape} tone={tone} />
        <span className="call-tool">{toolWords(call.tool)}</span>
        {mark === null ? null : (
          <span className="signature-mark" title={`equal tool and arguments: every ${mark} is the same call`}>
            {mark}
          </span>
        )}
        <span className="call-place">
          <span className="visually-hidden">call </span>
          {place}
        </span>
      </span>
      {plain ? null : (
        <span className="call-result">
          <span className="call-verdict">{resultWords(call)}</span>
          {failed ? <span className="call-class">{call.failure_class}</span> : null}
          {call.fingerprint === null ? null : <Fingerprint text={call.fingerprint} />}
        </span>
      )}
      <span className="call-facts">
        {[...(plain ? [resultWords(call)] : []), ...factsOf(call)].map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </span>
      {notes.length + health.length === 0 ? null : (
        // The story says it in sentences.
        <span className="call-notes" aria-hidden="true">
          {[...notes, ...health].map((note) => (
            <NoteText key={note.id} note={note} />
          ))}
        </span>
      )}
    </button>
  );
}

/** Long ones break at their colons before anything else. */
export function Fingerprint({ text }: { readonly text: string }) {
  const parts = text.split(/(?<=:)/);
  return (
    <span className="fingerprint-text mono">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text in their order
        <span key={index}>
          {part}
          <wbr />
        </span>
      ))}
    </span>
  );
}

function NoteText({ note: { text, tone } }: { readonly note: Note }) {
  return <span className={`call-note note-${tone}`}>{text}</span>;
}

/** Rung and template belong to the error text; latency is the call's own. */
function factsOf({ rung, template_version, duration_ms, result_state }: Call): string[] {
  return [
    ...(duration_ms === null ? [] : [formatDuration(duration_ms)]),
    ...(rung === null ? [] : [`rung ${formatCount(rung)}`]),
    ...(template_version === null ? [] : [`template ${template_version}`]),
    ...(result_state === null ? [] : [`result ${result_state}`]),
  ];
}

function markOf({ verdict, failure_class }: Call): readonly [Shape, Tone] {
  if (verdict === "rejected") return ["cross", "bad"];
  if (verdict === "unknown") return ["hatch", "quiet"];
  return failure_class === null ? ["disc", "good"] : ["triangle", "warn"];
}
