/** How the run ended, where it ended. */
import type { RunAnswer } from "../../../analytics/client/client.ts";
import { OutcomeTag, Tag } from "../kit/tag.tsx";
import { OUTCOME_MEANINGS, type Outcome } from "../kit/words.ts";

type Run = RunAnswer["run"];

export function OutcomeLane({ run }: { readonly run: Run }) {
  return (
    <li className="lane lane-outcome" data-outcome={run.outcome ?? (run.ended ? "unknown" : "open")}>
      <div className="lane-turn">end</div>
      <div className="lane-gutter" />
      <div className="lane-calls">
        <RunOutcome run={run} />
        <span className="quiet">{meaningOf(run)}</span>
      </div>
    </li>
  );
}

/** Words and a shape; a run that goes on has neither a good nor a bad end. */
export function RunOutcome({ run }: { readonly run: Pick<Run, "outcome" | "ended"> }) {
  if (run.outcome !== null || run.ended) return <OutcomeTag outcome={run.outcome} />;
  return (
    <Tag shape="ring" tone="accent">
      not ended
    </Tag>
  );
}

function meaningOf({ outcome, ended, budget }: Run): string {
  if (outcome === null) return ended ? OUTCOME_MEANINGS.unknown : "more may follow, or nobody reported its end";
  const meaning = OUTCOME_MEANINGS[outcome as Outcome] ?? "";
  return budget === null ? meaning : `${meaning} · budget: ${budget}`;
}
