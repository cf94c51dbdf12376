/** Failures that are not the arguments' fault. They follow the same path and never mix with the repair rates. */
import type { FunnelAnswer } from "../../../analytics/client/client.ts";
import { formatCount, formatShare } from "../../../analytics/client/format.ts";
import { useFunnel } from "../api.ts";
import { resolvedOf } from "../kit/funnel-stages.ts";
import { Section } from "../kit/page.tsx";
import { partOf } from "../kit/part.ts";
import { RateLine } from "../kit/rate-line.tsx";
import { Answered, Loading } from "../kit/states.tsx";
import { RATE_WORDS, type RateName } from "../kit/words.ts";
import { parameterOf } from "../state/dimensions.ts";
import { Link } from "../state/link.tsx";
import { Fact } from "./fact.tsx";
import { FailureList } from "./failure-list.tsx";
import { episodesOf } from "./links.ts";
import { actionsOf, MiniBar, outcomesOf } from "./mini-bar.tsx";

export function OtherFailures({ tool }: { readonly tool: string }) {
  return (
    <Section
      title="Other failures"
      note="The arguments were right or never judged: the tool failed, or policy said no. In no rate of repair."
    >
      <div className="other-failures">
        <Panel tool={tool} kind="recovery" title="Execution" none="No call failed in execution." />
        <Panel tool={tool} kind="denial" title="Denials" none="No call was denied." />
      </div>
    </Section>
  );
}

interface PanelProps {
  readonly tool: string;
  readonly kind: "recovery" | "denial";
  readonly title: string;
  readonly none: string;
}

const RATE_OF: Readonly<Record<PanelProps["kind"], RateName>> = {
  recovery: "transient_repeat_rate",
  denial: "repeat_after_denial_rate",
};

function Panel({ tool, kind, title, none }: PanelProps) {
  const asked = useFunnel({ tool: parameterOf(tool), kind });
  return (
    <div className="other-panel" data-panel={kind}>
      <h3>{title}</h3>
      <Answered asked={asked} loading={<Loading lines={3} height={140} />}>
        {({ overall }) =>
          overall.funnel.opened === 0 ? (
            <p className="note">{none}</p>
          ) : (
            <>
              <Figures tool={tool} group={overall} rate={RATE_OF[kind]} />
              <FailureList tool={tool} kind={kind} />
            </>
          )
        }
      </Answered>
    </div>
  );
}

interface FiguresProps {
  readonly tool: string;
  readonly group: FunnelAnswer["overall"];
  readonly rate: RateName;
}

function Figures({ tool, group, rate }: FiguresProps) {
  const { funnel, calls } = group;
  return (
    <dl className="tool-facts">
      <Fact name="opened" label="Episodes, of calls">
        <Link {...episodesOf(tool, { kind: funnel.kind })}>{formatShare(partOf(funnel.opened, calls.total))}</Link>
        {funnel.pending === 0 ? null : <span className="rate-pending"> {formatCount(funnel.pending)} pending</span>}
      </Fact>
      <Fact name="resolved" label={funnel.kind === "denial" ? "Run after all, of settled" : "Recovered, of settled"}>
        {formatShare(partOf(resolvedOf(funnel), funnel.settled))}
      </Fact>
      <Fact name="turns" label="Extra model turns">
        {formatCount(funnel.extra_turns.total)}
      </Fact>
      <Fact name={rate} label={RATE_WORDS[rate].title}>
        <RateLine rate={group.rates[rate]} name={rate} />
        <span className="note">
          {RATE_WORDS[rate].meaning} Of {RATE_WORDS[rate].of}.
        </span>
      </Fact>
      <Fact name="next" label="The model next">
        <MiniBar title="The model next" parts={actionsOf(funnel)} />
      </Fact>
      <Fact name="ended" label="Runs ended">
        <MiniBar title="Runs ended" parts={outcomesOf(funnel)} />
      </Fact>
    </dl>
  );
}
