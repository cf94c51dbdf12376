/** The settled funnel, and beside it what is still open. */
import type { FunnelAnswer } from "../../../analytics/client/client.ts";
import { formatCount, formatCountOf } from "../../../analytics/client/format.ts";
import { Figure } from "../kit/figure.tsx";
import { FunnelChart } from "../kit/funnel-chart.tsx";
import { openStages, type Stage, stagesOf } from "../kit/funnel-stages.ts";
import { FunnelTable } from "../kit/funnel-table.tsx";
import { WORDS } from "../kit/funnel-words.ts";
import { OpenFunnel } from "../kit/open-funnel.tsx";
import { Section } from "../kit/page.tsx";
import { episodesOf, runsOf } from "./links.ts";

const TITLES = { repair: "Repair funnel", recovery: "Recovery funnel", denial: "Denial funnel" } as const;

export function ToolFunnel({ tool, answer }: { readonly tool: string; readonly answer: FunnelAnswer }) {
  const { settings, overall, turn_basis } = answer;
  const { funnel } = overall;
  const groups = stagesOf(overall, settings.E);
  const open = openStages(funnel);
  const turns = turn_basis === "model" ? "model turns" : "turns that called a tool";
  const target = (stage: Stage) =>
    stage.filter === null ? runsOf(tool) : episodesOf(tool, { ...stage.filter, kind: funnel.kind });
  const title = TITLES[funnel.kind];
  return (
    <Section
      title={title}
      note={`Link window ${formatCountOf(settings.W, "turn")}, eventual window ${formatCountOf(settings.E, "turn")}, in ${turns}.`}
    >
      <div className={`funnel-pair ${funnel.pending === 0 ? "is-settled" : ""}`}>
        <Figure
          name="funnel"
          title="Settled"
          unit={`${formatCountOf(funnel.settled, `settled ${funnel.kind} episode`)} of ${formatCount(funnel.opened)} ${WORDS[funnel.kind].opened}`}
          table={<FunnelTable caption={title} groups={groups} />}
        >
          <FunnelChart groups={groups} target={target} />
        </Figure>
        <Figure
          name="open-funnel"
          title="Open so far"
          unit={`${formatCountOf(funnel.pending, "pending episode")}, in no rate`}
          {...(funnel.pending === 0
            ? {}
            : {
                note: "An episode settles when its run ends or falls silent. A repair shows sooner than its absence: this half always looks too good.",
              })}
          table={
            <FunnelTable
              caption="Open funnel so far"
              groups={[
                { name: "path", title: "Open", whole: { count: funnel.pending, label: "pending" }, stages: open },
              ]}
            />
          }
        >
          <OpenFunnel stages={open} pending={funnel.pending} target={target} />
        </Figure>
      </div>
    </Section>
  );
}
