/** How the runs behind the repair rates ended: without it an agent that gives up sooner would look better. */
import type { Group } from "../../../analytics/client/client.ts";
import { formatCount, formatCountOf } from "../../../analytics/client/format.ts";
import { Figure } from "../kit/figure.tsx";
import { OutcomeBar, OutcomeLegend, OutcomeTable } from "../kit/outcome-bar.tsx";

export function OutcomesFigure({ overall }: { readonly overall: Group }) {
  const { terminal_outcomes } = overall;
  const { denominator, pending } = terminal_outcomes.completed;
  const of = "settled repair episodes";
  return (
    <Figure
      name="outcomes"
      title="How their runs ended"
      unit={`episodes · of ${formatCount(denominator)} ${of}${pending === 0 ? "" : ` · ${formatCountOf(pending, "pending", "pending")}`}`}
      table={<OutcomeTable outcomes={terminal_outcomes} of={of} />}
    >
      <OutcomeBar outcomes={terminal_outcomes} of={of} height={18} />
      <OutcomeLegend outcomes={terminal_outcomes} />
    </Figure>
  );
}
