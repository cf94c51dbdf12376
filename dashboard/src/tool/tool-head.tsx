/** What is asked about: how many calls, of which versions, and which kind of failure the funnel follows. */
import type { Dimension, Group } from "../../../analytics/client/client.ts";
import { formatCount, formatCountOf } from "../../../analytics/client/format.ts";
import { useValues } from "../api.ts";
import { DIMENSION_WORDS, parameterOf, valueWords } from "../state/dimensions.ts";
import { Link } from "../state/link.tsx";
import { KINDS, type Kind, useScope } from "../state/scope.ts";
import { runsOf } from "./links.ts";

export function ToolHead({ tool, group }: { readonly tool: string; readonly group: Group }) {
  const { calls, first_attempts, repair_attempts, runs } = group;
  return (
    <div className="tool-head">
      <dl className="tool-counts">
        <Count name="calls" label="calls" count={calls.total} />
        <div data-count-of="runs">
          <dt>
            <Link {...runsOf(tool)}>runs</Link>
          </dt>
          <dd>{formatCount(runs)}</dd>
        </div>
        <Count name="first_attempts" label="first attempts" count={first_attempts.total} />
        <Count name="repair_attempts" label="repair attempts" count={repair_attempts.total} />
      </dl>
      <Versions tool={tool} />
      <KindChoice />
    </div>
  );
}

function Count({ name, label, count }: { readonly name: string; readonly label: string; readonly count: number }) {
  return (
    <div data-count-of={name}>
      <dt>{label}</dt>
      <dd>{formatCount(count)}</dd>
    </div>
  );
}

const VERSIONS = ["schema_version", "template_version"] as const;
/** More are in the filter of the scope and in the table of versions. */
const MOST_VERSIONS = 4;

/** The versions that were called in this interval; each is a link that narrows the page to it, or lets it go. */
function Versions({ tool }: { readonly tool: string }) {
  const values = useValues({ tool: parameterOf(tool) }).data?.dimensions;
  const { filters } = useScope();
  return (
    <dl className="tool-versions">
      {VERSIONS.map((dimension) => (
        <div key={dimension} data-versions={dimension}>
          <dt>{DIMENSION_WORDS[dimension]}</dt>
          <dd>
            {values === undefined ? (
              <span className="quiet">…</span>
            ) : (
              <VersionLinks dimension={dimension} known={values[dimension]} chosen={filters[dimension] ?? []} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface VersionLinksProps {
  readonly dimension: Dimension;
  readonly known: readonly { readonly value: string | null; readonly calls: number }[];
  readonly chosen: readonly string[];
}

function VersionLinks({ dimension, known, chosen }: VersionLinksProps) {
  if (known.length === 0) return <span className="quiet">none recorded</span>;
  const more = known.length - MOST_VERSIONS;
  return (
    <>
      {known.slice(0, MOST_VERSIONS).map(({ value, calls }) => {
        const parameter = parameterOf(value);
        const on = chosen.includes(parameter);
        return (
          <Link
            key={parameter}
            className="version-link"
            with={{ [dimension]: on ? null : parameter }}
            title={on ? "shows only this one: let it go" : "show only this one"}
            {...(on ? { "aria-current": "true" as const } : {})}
          >
            {valueWords(parameter)} <span className="quiet">{formatCountOf(calls, "call")}</span>
          </Link>
        );
      })}
      {more > 0 ? <span className="quiet">and {formatCount(more)} more</span> : null}
    </>
  );
}

const KIND_WORDS: Readonly<Record<Kind, string>> = {
  repair: "Repair: rejected arguments",
  recovery: "Recovery: failed in execution",
  denial: "Denial: refused by policy",
};

/** Kinds are never mixed: the funnel, the fingerprints and the costs below are of one. */
function KindChoice() {
  const { kind } = useScope();
  return (
    <nav className="kind-choice" aria-label="Kind of episode">
      {KINDS.map((name) => (
        <Link
          key={name}
          with={{ kind: name === "repair" ? null : name }}
          {...(name === kind ? { "aria-current": "true" as const } : {})}
        >
          {KIND_WORDS[name]}
        </Link>
      ))}
    </nav>
  );
}
