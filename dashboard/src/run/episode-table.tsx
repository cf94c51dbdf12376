/** The run's episodes, one row each: what opened it, what was tried, what became of it and what that cost. */
import type { RunAnswer } from "../../../analytics/client/client.ts";
import { formatCount, formatDuration, formatTokens } from "../../../analytics/client/format.ts";
import { type Column, DataTable } from "../kit/data-table.tsx";
import { Empty } from "../kit/states.tsx";
import { Tag } from "../kit/tag.tsx";
import { actionWords, funnelRowWords } from "../kit/words.ts";
import { Link } from "../state/link.tsx";
import { Fingerprint } from "./call-chip.tsx";
import { EVIDENCE_WORDS, KIND_WORDS, toolWords } from "./call-words.ts";
import { type Episode, placeOf } from "./timeline.ts";

export function EpisodeTable({ answer: { episodes, calls } }: { readonly answer: RunAnswer }) {
  if (episodes.length > 0) {
    return (
      <DataTable
        name="episodes"
        caption="Episodes of the run"
        rows={episodes}
        rowKey={({ kind, opening }) => `${kind} ${placeOf(opening)}`}
        rowProps={({ kind, opening }) => ({ "data-episode": `${kind} ${placeOf(opening)}` })}
        columns={COLUMNS}
      />
    );
  }
  return (
    <Empty title={calls.length === 0 ? "No call, so no episode" : "No call failed"}>
      <p className="note">
        An episode opens with each call that fails, and follows the model until it is repaired or given up.
      </p>
    </Empty>
  );
}

function CallLink({ place }: { readonly place: string }) {
  return (
    <Link with={{ call: place, table: null }} className="mono" onClick={() => goTo(place)}>
      {place}
    </Link>
  );
}

/** The address changes first; the call may be folded away until then. */
function goTo(place: string): void {
  setTimeout(() => {
    const call = document.querySelector<HTMLElement>(`[data-call="${CSS.escape(place)}"]`);
    call?.scrollIntoView({ block: "center" });
    call?.focus({ preventScroll: true });
  });
}

function EpisodeState({ episode: { kind, settled, decided, repaired } }: { readonly episode: Episode }) {
  if (!settled) {
    return (
      <Tag shape="ring" tone="accent" title="In no rate until it is settled">
        {decided ? `pending, ${repaired ? KIND_WORDS[kind].done : `not ${KIND_WORDS[kind].done}`} so far` : "pending"}
      </Tag>
    );
  }
  return repaired ? (
    <Tag shape="disc" tone="good">
      {KIND_WORDS[kind].done}
    </Tag>
  ) : (
    <Tag shape="cross" tone="bad">{`not ${KIND_WORDS[kind].done}`}</Tag>
  );
}

const COLUMNS: readonly Column<Episode>[] = [
  { id: "kind", title: "Kind", header: true, value: ({ kind }) => kind, cell: ({ kind }) => KIND_WORDS[kind].episode },
  {
    ...{ id: "opened", title: "Opened by" },
    cell: ({ opening, tool, fingerprint, failure_class }) => (
      <>
        <CallLink place={placeOf(opening)} /> {toolWords(tool)}
        <br />
        <span className="quiet">{fingerprint === null ? failure_class : <Fingerprint text={fingerprint} />}</span>
      </>
    ),
  },
  {
    ...{ id: "attempts", title: "Attempts" },
    value: ({ attempts }) => attempts.length,
    cell: ({ attempts }) =>
      attempts.length === 0 ? (
        <span className="quiet">none</span>
      ) : (
        <ol className="attempts">
          {attempts.map((attempt) => (
            <li key={placeOf(attempt)}>
              <CallLink place={placeOf(attempt)} /> <span className="quiet">{EVIDENCE_WORDS[attempt.evidence]}</span>
            </li>
          ))}
        </ol>
      ),
  },
  { id: "state", title: "State", cell: (episode) => <EpisodeState episode={episode} /> },
  {
    ...{ id: "row", title: "Funnel row" },
    cell: ({ settled, decided, funnel_row }) => funnelRowWords(settled || decided ? funnel_row : "undecided"),
  },
  {
    ...{ id: "next", title: "Next action" },
    cell: ({ settled, decided, next_action, next_tool }) => {
      if (!settled && !decided) return <span className="quiet">not known yet</span>;
      return next_tool === null ? actionWords(next_action) : `${actionWords(next_action)}: ${toolWords(next_tool)}`;
    },
  },
  {
    ...{ id: "targeted", title: "Named parameter", note: "changed by the first attempt" },
    cell: ({ targeted_change, attempts }) => {
      if (targeted_change !== null) return targeted_change ? "changed" : "not changed";
      return <span className="quiet">{attempts.length === 0 ? "no attempt" : "cannot be compared"}</span>;
    },
  },
  {
    ...{ id: "extra", title: "Extra turns", align: "end" },
    value: ({ extra_model_turns }) => extra_model_turns,
    cell: ({ extra_model_turns }) => formatCount(extra_model_turns),
  },
  {
    ...{ id: "usage", title: "Attributed usage", note: "each turn handed out once", align: "end" },
    value: ({ usage }) => usage.input_tokens,
    cell: ({ usage }) => <Usage usage={usage} />,
  },
];

function Usage({ usage }: { readonly usage: Episode["usage"] }) {
  const { model_turns, input_tokens, output_tokens, duration_ms } = usage;
  if (model_turns === null || model_turns === 0) return <span className="quiet">none</span>;
  return (
    <span className="usage">
      <span>{formatTokens(input_tokens, "input")}</span>
      <span>{formatTokens(output_tokens, "output")}</span>
      <span>{duration_ms === null ? "duration not reported" : formatDuration(duration_ms)}</span>
    </span>
  );
}
