/** One tool: what the model does wrong with it, whether the error text teaches it the right call, what that costs. */
import type { FunnelAnswer, Group } from "../../../analytics/client/client.ts";
import { useFunnel } from "../api.ts";
import { Page } from "../kit/page.tsx";
import { Answered, Empty, Loading } from "../kit/states.tsx";
import { RiskTag } from "../kit/tag.tsx";
import { parameterOf } from "../state/dimensions.ts";
import { Link } from "../state/link.tsx";
import { CostAndHealth } from "./cost-and-health.tsx";
import { FailureNames } from "./failure-names.tsx";
import { OtherFailures } from "./other-failures.tsx";
import { RatesOverTime } from "./rates-over-time.tsx";
import { ToolFunnel } from "./tool-funnel.tsx";
import { ToolHead } from "./tool-head.tsx";
import { ToolRates } from "./tool-rates.tsx";
import { VersionsTable } from "./versions-table.tsx";
import "./tool.css";

export function ToolPage({ tool }: { readonly tool: string }) {
  const asked = useFunnel({ tool: parameterOf(tool) });
  const risks = asked.data?.overall.by_risk.map(({ risk }) => risk) ?? [];
  return (
    <Page title={tool} lead={risks.map((risk) => <RiskTag key={risk} risk={risk} />)}>
      <Answered asked={asked} loading={<Loading lines={14} height={1200} />}>
        {(answer) => <Whole tool={tool} answer={answer} />}
      </Answered>
    </Page>
  );
}

function Whole({ tool, answer }: { readonly tool: string; readonly answer: FunnelAnswer }) {
  const { overall } = answer;
  if (isEmpty(overall)) return <NothingYet tool={tool} />;
  return (
    <>
      <ToolHead tool={tool} group={overall} />
      <ToolRates tool={tool} group={overall} />
      <ToolFunnel tool={tool} answer={answer} />
      <RatesOverTime tool={tool} />
      <FailureNames tool={tool} />
      <VersionsTable tool={tool} />
      <OtherFailures tool={tool} />
      <CostAndHealth tool={tool} answer={answer} />
    </>
  );
}

const isEmpty = ({ calls, funnel }: Group): boolean => calls.total === 0 && funnel.opened === 0;

function NothingYet({ tool }: { readonly tool: string }) {
  return (
    <Empty title={`No call to ${tool} in this interval and with these filters`}>
      <p>
        A page fills with the first span of a call to this tool: an <code>execute_tool</code> span whose{" "}
        <code>gen_ai.tool.name</code> is <code>{tool.split("@")[0]}</code>, sent by the wrapped executor.
      </p>
      <p>
        <Link with={{ last: "90d", from: null, to: null }}>Look at 90 days</Link> or{" "}
        <Link with={{ last: "all", from: null, to: null }}>at everything</Link>, or take the filters out above.
      </p>
    </Empty>
  );
}
