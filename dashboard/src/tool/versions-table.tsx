/** Versions, templates or models side by side: described, not compared. */
import type { FunnelAnswer, Group } from "../../../analytics/client/client.ts";
import { formatCount, formatOf, NO_EVIDENCE } from "../../../analytics/client/format.ts";
import { useFunnel } from "../api.ts";
import { type Column, DataTable } from "../kit/data-table.tsx";
import { Section } from "../kit/page.tsx";
import { RateCell } from "../kit/rate-line.tsx";
import { Answered, Loading } from "../kit/states.tsx";
import { RATE_WORDS, type RateName } from "../kit/words.ts";
import { DIMENSION_WORDS, parameterOf, valueWords } from "../state/dimensions.ts";
import { Link } from "../state/link.tsx";
import { useParam } from "../state/query-string.ts";
import { MiniBar, outcomesOf } from "./mini-bar.tsx";

const GROUPINGS = ["schema_version", "template_version", "model"] as const;
type Grouping = (typeof GROUPINGS)[number];

export function VersionsTable({ tool }: { readonly tool: string }) {
  const [text] = useParam("by");
  const by = GROUPINGS.find((known) => known === text) ?? "schema_version";
  const asked = useFunnel({ tool: parameterOf(tool), group_by: by });
  return (
    <Section
      title="Versions and models side by side"
      note="Descriptive, not a comparison: the mix of failures, models and times differs between the rows, and a difference here says nothing about its cause."
      actions={
        <nav className="kind-choice" aria-label="Rows of the table">
          {GROUPINGS.map((name) => (
            <Link
              key={name}
              with={{ by: name === "schema_version" ? null : name }}
              {...(name === by ? { "aria-current": "true" as const } : {})}
            >
              {DIMENSION_WORDS[name]}
            </Link>
          ))}
        </nav>
      }
    >
      <Answered asked={asked} loading={<Loading lines={4} height={160} />}>
        {(answer) => <Rows tool={tool} by={by} answer={answer} />}
      </Answered>
    </Section>
  );
}

function Rows(props: { readonly tool: string; readonly by: Grouping; readonly answer: FunnelAnswer }) {
  const { tool, by, answer } = props;
  // While another grouping loads, the rows of the one before stand here.
  const shown = GROUPINGS.find((name) => answer.scope.group_by.includes(name)) ?? by;
  return (
    <DataTable
      name="versions"
      caption={`${tool} by ${DIMENSION_WORDS[shown].toLowerCase()}`}
      rows={answer.groups}
      rowKey={(group) => String(group.key[shown])}
      rowProps={(group) => ({ "data-group": String(group.key[shown]) })}
      columns={columnsOf(shown)}
    />
  );
}

function columnsOf(by: Grouping): readonly Column<Group>[] {
  const rate = (name: RateName): Column<Group> => ({
    id: name,
    title: RATE_WORDS[name].title,
    note: `of ${RATE_WORDS[name].of}`,
    value: ({ rates }) => rates[name].value,
    cell: ({ rates }) => <RateCell rate={rates[name]} name={name} />,
  });
  return [
    {
      id: "value",
      title: DIMENSION_WORDS[by],
      header: true,
      value: ({ key }) => String(key[by]),
      cell: ({ key }) => {
        const parameter = parameterOf(key[by] === null || key[by] === undefined ? null : String(key[by]));
        return (
          <Link with={{ [by]: parameter }} title="show only this one">
            {valueWords(parameter)}
          </Link>
        );
      },
    },
    {
      id: "calls",
      title: "Calls",
      align: "end",
      value: ({ calls }) => calls.total,
      cell: ({ calls }) => formatCount(calls.total),
    },
    ...[rate("first_attempt_failure_rate"), rate("first_repair_rate"), rate("eventual_repair_rate")],
    rate("unchanged_repeat_rate"),
    {
      id: "ended",
      title: "Runs ended",
      note: "settled episodes",
      cell: ({ funnel }) => <MiniBar title="Runs ended" parts={outcomesOf(funnel)} />,
    },
    {
      id: "turns",
      title: "Extra turns",
      note: "an episode: median, p90",
      align: "end",
      value: ({ funnel }) => funnel.extra_turns.total,
      cell: ({ funnel: { extra_turns } }) => (
        <>
          {formatCount(extra_turns.total)}
          <br />
          <span className="note">
            {extra_turns.p50 === null || extra_turns.p90 === null
              ? NO_EVIDENCE
              : `${formatCount(extra_turns.p50)}, ${formatCount(extra_turns.p90)}`}
          </span>
        </>
      ),
    },
    {
      id: "handovers",
      title: "Handovers",
      note: "of settled",
      align: "end",
      value: ({ funnel }) => funnel.handovers,
      cell: ({ funnel }) => formatOf({ numerator: funnel.handovers, denominator: funnel.settled }),
    },
  ];
}
