/** Episodes of the scope, newest first: where a bar of a funnel or a row of fingerprints leads to. */
import type { EpisodesAnswer } from "../../../analytics/client/client.ts";
import { formatCount, formatTime } from "../../../analytics/client/format.ts";
import type { Column } from "../kit/data-table.tsx";
import { Page } from "../kit/page.tsx";
import { Empty } from "../kit/states.tsx";
import { OutcomeTag, RiskTag, Tag } from "../kit/tag.tsx";
import { actionWords, funnelRowWords, OUTCOMES } from "../kit/words.ts";
import { Fingerprint } from "../run/call-chip.tsx";
import { KIND_WORDS, toolWords } from "../run/call-words.ts";
import { placeOf } from "../run/timeline.ts";
import { parameterOf } from "../state/dimensions.ts";
import { Link, runPath, toolPath } from "../state/link.tsx";
import { KINDS, type Kind, useScope } from "../state/scope.ts";
import { type FilterSpec, ListFilters, useListFilters } from "./list-filters.tsx";
import { PagedTable } from "./paged-table.tsx";
import { usePaged } from "./use-paged.ts";

type Episode = EpisodesAnswer["episodes"][number];

const FILTERS: readonly FilterSpec[] = [
  {
    name: "row",
    title: "Funnel row",
    values: [
      ...["repaired_turn_1", "repaired_turn_2", "repaired_late"],
      ...OUTCOMES.map((outcome) => `unresolved_${outcome}`),
      "undecided",
    ],
    words: funnelRowWords,
  },
  {
    name: "next_action",
    title: "Next action",
    values: [
      ...["repaired_next_turn", "repaired_later", "repeated_unchanged", "changed_still_invalid"],
      ...["not_known", "changed_direction", "gave_up"],
    ],
    words: actionWords,
  },
  { name: "state", title: "State", values: ["settled", "pending"], words: (state) => state },
  { name: "outcome", title: "Run ended", values: OUTCOMES, words: (outcome) => outcome },
];

export function EpisodesPage() {
  const { query, kind } = useScope();
  const filters = useListFilters(FILTERS);
  const paged = usePaged<EpisodesAnswer>("episodes", { ...query, ...filters }, (questions, asked) =>
    questions.episodes(asked),
  );
  return (
    <Page title={TITLES[kind]}>
      <div className="list-page">
        <ListFilters specs={FILTERS} lead={<KindChoice />} />
        <PagedTable
          paged={paged}
          caption={`${TITLES[kind]}, newest first`}
          one="episode"
          rowsOf={({ episodes }) => episodes}
          rowKey={({ run_id, kind, turn, ordinal }) => `${run_id} ${kind} ${turn}.${ordinal}`}
          columns={COLUMNS}
          empty={<NoEpisodes kind={kind} narrowed={Object.keys(filters).length > 0} />}
        />
      </div>
    </Page>
  );
}

const TITLES: Readonly<Record<Kind, string>> = {
  repair: "Repair episodes",
  recovery: "Recovery episodes",
  denial: "Denial episodes",
};

const OPENS: Readonly<Record<Kind, string>> = {
  repair: "a call whose arguments are rejected",
  recovery: "a call that ran and failed",
  denial: "a call that policy or a person denied",
};

function KindChoice() {
  const { kind, setKind } = useScope();
  return (
    <label className="choice">
      Kind
      <select name="kind" value={kind} onChange={({ target }) => setKind(target.value as Kind)}>
        {KINDS.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

function NoEpisodes({ kind, narrowed }: { readonly kind: Kind; readonly narrowed: boolean }) {
  return (
    <Empty title="No episode matches">
      <p>
        An episode of this kind opens with {OPENS[kind]}.{" "}
        {narrowed ? (
          <Link with={{ row: null, next_action: null, state: null, outcome: null }}>
            Take the filters of this list out
          </Link>
        ) : (
          <Link with={{ last: "all", from: null, to: null }}>Look at all times</Link>
        )}
        .
      </p>
    </Empty>
  );
}

const COLUMNS: readonly Column<Episode>[] = [
  {
    ...{ id: "opened", title: "Opened", note: "call of the run", header: true },
    cell: (episode) => (
      <span className="list-lines">
        <Link to={runPath(episode.run_id)} with={{ call: placeOf(episode) }}>
          <time className="nowrap" dateTime={episode.opened_at} title={episode.opened_at}>
            {formatTime(episode.opened_at)}
          </time>
        </Link>
        <span className="note list-short" title={episode.run_key ?? episode.run_id}>
          call {placeOf(episode)} of {episode.run_key ?? episode.run_id}
        </span>
      </span>
    ),
  },
  {
    ...{ id: "tool", title: "Tool", note: "risk" },
    cell: ({ tool, risk }) => (
      <span className="list-lines">
        <Link to={toolPath(tool)}>{toolWords(tool)}</Link>
        <span className="note">
          <RiskTag risk={risk} />
        </span>
      </span>
    ),
  },
  {
    ...{ id: "fingerprint", title: "Fingerprint", note: "failure class" },
    cell: ({ fingerprint, failure_class }) => (
      <span className="list-lines">
        {fingerprint === null ? (
          <span className="quiet">none</span>
        ) : (
          <Link with={{ fingerprint: parameterOf(fingerprint) }}>
            <Fingerprint text={fingerprint} />
          </Link>
        )}
        <span className="note">{failure_class}</span>
      </span>
    ),
  },
  {
    ...{ id: "row", title: "What became of it", note: "what the model did next" },
    cell: (episode) => (
      <span className="list-lines">
        <Became episode={episode} />
        <span className="note">{nextOf(episode)}</span>
      </span>
    ),
  },
  {
    ...{ id: "outcome", title: "Run ended" },
    cell: ({ terminal_outcome }) => <OutcomeTag outcome={terminal_outcome === "unknown" ? null : terminal_outcome} />,
  },
  { id: "attempts", title: "Attempts", align: "end", cell: ({ attempts }) => formatCount(attempts) },
  { id: "extra", title: "Extra turns", align: "end", cell: (episode) => formatCount(episode.extra_model_turns) },
  {
    ...{ id: "tokens", title: "Tokens", note: "attributed", align: "end" },
    cell: ({ attributed_tokens: tokens }) =>
      tokens === null ? <span className="quiet nowrap">not reported</span> : formatCount(tokens),
  },
  {
    ...{ id: "versions", title: "Template", note: "schema, rung" },
    cell: ({ template_version, schema_version, rung }) => (
      <span className="list-lines">
        <span>{template_version ?? <span className="quiet">not stated</span>}</span>
        <span className="note">
          {schema_version ?? "schema not stated"}
          {rung === null ? null : `, rung ${formatCount(rung)}`}
        </span>
      </span>
    ),
  },
  { id: "model", title: "Model", cell: ({ model }) => model ?? <span className="quiet">not known</span> },
];

/** A pending episode may be decided already: its row stands, though it is in no rate yet. */
function Became({ episode: { kind, settled, repaired, funnel_row } }: { readonly episode: Episode }) {
  const words =
    kind === "repair"
      ? funnelRowWords(funnel_row)
      : funnelRowWords(funnel_row).replace("repaired", KIND_WORDS[kind].done);
  if (!settled) {
    return (
      <Tag shape="ring" tone="accent" title="In no rate until it is settled">
        {funnel_row === "undecided" ? "pending" : `pending, so far ${words}`}
      </Tag>
    );
  }
  return (
    <Tag shape={repaired ? "disc" : "cross"} tone={repaired ? "good" : "bad"}>
      {words}
    </Tag>
  );
}

function nextOf({ funnel_row, next_action, next_tool }: Episode): string {
  if (funnel_row === "undecided") return "next action not known yet";
  return next_tool === null ? actionWords(next_action) : `${actionWords(next_action)}: ${toolWords(next_tool)}`;
}
