/** What the rates do not cover: how far the data behind them can be trusted. */
import type { FunnelAnswer } from "../../../analytics/client/client.ts";
import { formatCount } from "../../../analytics/client/format.ts";
import { Facts } from "../kit/facts.tsx";
import { ShareText } from "../kit/rate-line.tsx";

export function Health({ answer }: { readonly answer: FunnelAnswer }) {
  const { overall, runs_waiting } = answer;
  const { health, inferred_turns, outcomes_known, calls, funnel } = overall;
  return (
    <Facts
      facts={[
        {
          name: "Not checked",
          value: <ShareText share={health.not_checked} />,
          note: "accepted calls that nothing validated",
        },
        {
          name: "Corrected",
          value: <ShareText share={health.corrected} />,
          note: "accepted calls that the harness changed first",
        },
        {
          name: "Ran against its schema",
          value: <ShareText share={health.ran_against_schema} />,
          note: "accepted although the declared schema refuses them",
        },
        {
          name: "Verdict unknown",
          value: <ShareText share={health.unknown_verdict} />,
          note: "calls that stand in no rate",
        },
        {
          name: "No result",
          value: `${formatCount(calls.unanswered)} of ${formatCount(calls.total)}`,
          note: "calls that were never answered",
        },
        {
          name: "Turns inferred",
          value: <ShareText share={inferred_turns} />,
          note: "calls whose model turn nobody stated",
        },
        {
          name: "Linked by order alone",
          value: <ShareText share={funnel.linked_by.order} />,
          note: "attempts of settled episodes",
        },
        { name: "Outcome known", value: <ShareText share={outcomes_known} />, note: "of ended runs" },
        { name: "Runs waiting", value: formatCount(runs_waiting), note: "to be assembled or linked, in no rate yet" },
      ]}
    />
  );
}
